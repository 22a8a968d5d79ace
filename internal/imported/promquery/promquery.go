// Package promquery asks the query API of Prometheus (HTTP API, v1), or of a server that speaks it,
// for the series of node_exporter of one host. What comes back is bounded in time, size and number
// of requests, and not parsed further than needed to ask: imported.ReadAnswers does that.
package promquery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/imported"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

const (
	// MaxSpan bounds the time that is asked for: the step grows with it.
	MaxSpan = 31 * 24 * time.Hour
	// maxTime bounds all requests together, maxRequest each.
	maxTime, maxRequest = 2 * time.Minute, 30 * time.Second
	// maxBody bounds an answer with values, unpacked, and maxSmall one without.
	maxBody, maxSmall = 64 << 20, 2 << 20
	// keptSteps is how many steps are asked for, each with a value, and one value more: those of a
	// day, once a minute. Servers refuse 11,000 values.
	keptSteps = 1499
	// listed is how many hosts an error names.
	listed = 20
	// maxOption bounds the name of each, in bytes.
	maxOption = 400
	// maxTargets is how many hosts are asked for in order to list them.
	maxTargets = 1000
	// maxElements bounds each array that is read here: an hour has 3600 seconds.
	maxElements = 10_000
	// looked is the time from which the scrape interval is taken.
	looked = time.Hour
)

// Question is what is asked.
type Question struct {
	URL *url.URL // of Prometheus: all before /api/v1
	// Auth is USER:PASSWORD, or a bearer token; "": none.
	Auth string
	// Instance names the host: HOST:PORT as in the label instance, HOST for any port, or
	// matchers: {instance="db:9100",job="node"}. "" stands for the only one there is.
	Instance string
	From, To time.Time
}

// Answer is what came back.
type Answer struct {
	Name   string   // whom was asked, for notes
	Host   string   // the host as matchers that choose no other one
	Bodies [][]byte // answers of query_range, JSON, all of one host
	Notes  []string
}

// target is one node_exporter as Prometheus labels it.
type target map[string]string

// ofContainers are interfaces that each container has one of: hundreds, and no card.
const ofContainers = "veth.*|cali.*|lxc.*|vnet.*|tap.*"

// seen is the series by which hosts are found: without it nothing can be judged.
const seen = "node_cpu_seconds_total"

// Ask finds the host and how often it is scraped, and asks for its series. Errors say what was
// asked, what came back, and what to do.
func Ask(ctx context.Context, q Question) (*Answer, error) {
	c := newClient(q.URL, q.Auth)
	out, err := ask(ctx, c, q)
	switch {
	case !c.exposed():
	case err != nil:
		err = fmt.Errorf("%w; %s", err, inClear)
	default:
		out.Notes = append(out.Notes, inClear)
	}
	return out, err
}

// inClear is said whether there is an answer or not.
const inClear = "over http:// the password or token is sent without encryption: use https"

func ask(ctx context.Context, c *client, q Question) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	ctx = budget.With(ctx, budget.From(ctx)) // one for all answers
	of, err := find(ctx, c, &q)
	if err != nil {
		return nil, err
	}
	first, interval, err := scraped(ctx, c, &q, of)
	if err != nil {
		return nil, err
	}
	step := interval * max(1, (q.To.Sub(q.From)/interval+keptSteps-1)/keptSteps)
	out := &Answer{Name: "Prometheus at " + c.name(), Host: of.selector("")}
	if step > interval {
		out.Notes = append(out.Notes, fmt.Sprintf("asked for a value each %v, scraped each %v: choose a shorter time to see all", unit.Duration(step), unit.Duration(interval)))
	}
	for _, names := range imported.Series {
		body, err := c.get(ctx, "query_range", url.Values{"query": {of.selector(`__name__=~` + strconv.Quote(strings.Join(names, "|")) + `,device!~` + strconv.Quote(ofContainers))},
			"start": {stamp(first)}, "end": {stamp(q.To)}, "step": {seconds(step)}}, maxBody)
		if err != nil {
			return nil, fmt.Errorf("asking %s for %v to %v: %w", c.name(), unit.Moment(q.From), unit.Moment(q.To), err)
		}
		out.Bodies = append(out.Bodies, body)
	}
	return out, nil
}

// array is an array of JSON, read up to maxElements.
type array[T any] []T

// UnmarshalJSON makes no element of what is not kept.
func (a *array[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	switch begin, err := d.Token(); {
	case err != nil:
		return err
	case begin == nil:
		return nil
	case begin != json.Delim('['):
		return fmt.Errorf("there is %.40q where an array should be", text)
	}
	for d.More() && len(*a) < maxElements {
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		*a = append(*a, one)
	}
	return nil
}

// find is the host that is meant.
func find(ctx context.Context, c *client, q *Question) (target, error) {
	all, err := targets(ctx, c, q, q.matchers())
	switch {
	case err != nil:
		return nil, fmt.Errorf("asking %s for hosts: %w", c.name(), err)
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return nil, fmt.Errorf("asking %s: %s: choose one of them: %s", c.name(), matching(q.Instance, len(all)), list(all))
	}
	when := fmt.Sprintf("from %v to %v", unit.Moment(q.From), unit.Moment(q.To))
	if q.Instance != "" {
		if all, err = targets(ctx, c, q, ""); err == nil && len(all) > 0 {
			return nil, fmt.Errorf("asking %s: it has no series %s of --instance %.200q %s; it has those of: %s", c.name(), seen, q.Instance, when, list(all))
		}
	}
	return nil, fmt.Errorf("asking %s: it has no series %s %s: is node_exporter scraped, and was it then? Choose another time", c.name(), seen, when)
}

// matching says how many hosts match.
func matching(instance string, n int) string {
	count := strconv.Itoa(n)
	if n >= maxTargets {
		count += " or more"
	}
	if instance == "" {
		return "it has series of " + count + " hosts"
	}
	return fmt.Sprintf("%s match --instance %.200q", count, instance)
}

// matchers are those of the host that the user names.
func (q *Question) matchers() string {
	switch {
	case q.Instance == "":
		return ""
	case strings.HasPrefix(q.Instance, "{"):
		return strings.Trim(strings.TrimSuffix(strings.TrimPrefix(q.Instance, "{"), "}"), ", ")
	case strings.Contains(q.Instance, ":"):
		return "instance=" + strconv.Quote(q.Instance)
	}
	return "instance=~" + strconv.Quote(regexp.QuoteMeta(q.Instance)+"(:[0-9]+)?")
}

// targets are the hosts with a series of CPU time that match.
func targets(ctx context.Context, c *client, q *Question, matchers string) ([]target, error) {
	match := seen + `{cpu="0",mode="idle"`
	if matchers != "" {
		match += "," + matchers
	}
	body, err := c.get(ctx, "series", url.Values{"match[]": {match + "}"}, "start": {stamp(q.From)}, "end": {stamp(q.To)}, "limit": {strconv.Itoa(maxTargets)}}, maxSmall)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data array[target] `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("its list of series is no JSON that is known: %w", err)
	}
	all := answer.Data[:min(len(answer.Data), maxTargets)]
	for _, t := range all {
		for _, l := range []string{"__name__", "cpu", "mode"} {
			delete(t, l)
		}
	}
	slices.SortFunc(all, func(a, b target) int { return strings.Compare(a.selector(""), b.selector("")) })
	return slices.CompactFunc(all, func(a, b target) bool { return maps.Equal(a, b) }), nil
}

// labelName is one that needs no quotes.
var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// selector is that of the host's series, with one more matcher before.
func (t target) selector(more string) string {
	var all []string
	if more != "" {
		all = append(all, more)
	}
	for _, l := range slices.Sorted(maps.Keys(t)) {
		if labelName.MatchString(l) {
			all = append(all, l+"="+strconv.Quote(t[l]))
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// list names some hosts as options that choose them, quoted for a shell. Names that no shell can
// take, or that are too long to be shown whole, are only counted.
func list(all []target) string {
	times := map[string]int{}
	for _, t := range all {
		times[t["instance"]]++
	}
	var words []string
	for _, t := range all {
		name := t["instance"]
		if times[name] > 1 || !strings.Contains(name, ":") || strings.HasPrefix(name, "{") {
			name = t.selector("")
		}
		if option := shell.Line("--instance %s", name).String(); option != "" && len(option) <= maxOption && len(words) < listed {
			words = append(words, option)
		}
	}
	switch more := len(all) - len(words); {
	case len(words) == 0:
		return "their names are too long, or cannot be written for a shell"
	case more > 0:
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// scraped finds out how often a host is scraped, and a time at which each value is there: half
// an interval after one.
func scraped(ctx context.Context, c *client, q *Question, of target) (first time.Time, interval time.Duration, err error) {
	span := min(q.To.Sub(q.From), looked)
	for _, until := range []time.Time{q.To, q.From.Add(span)} {
		body, err := c.get(ctx, "query", url.Values{"query": {fmt.Sprintf("%s%s[%ds]", seen, of.selector(`cpu="0",mode="idle"`), int(span.Seconds()))}, "time": {stamp(until)}}, maxSmall)
		if err != nil {
			return first, 0, fmt.Errorf("asking %s how often %.200q is scraped: %w", c.name(), of["instance"], err)
		}
		var answer struct {
			Data struct {
				Result array[struct {
					Values array[[2]json.RawMessage] `json:"values"`
				}] `json:"result"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return first, 0, fmt.Errorf("asking %s how often %.200q is scraped: its answer is no JSON that is known: %w", c.name(), of["instance"], err)
		}
		var stamps []time.Time
		for _, s := range answer.Data.Result {
			for _, v := range s.Values {
				if at, err := strconv.ParseFloat(string(v[0]), 64); err == nil && at > 0 && at < 9e9 {
					stamps = append(stamps, time.UnixMilli(int64(at*1000)))
				}
			}
		}
		if interval = spacing(stamps); interval > 0 {
			first = stamps[0].Add(interval / 2)
			return first.Add(-interval * (first.Sub(q.From) / interval)), interval, nil
		}
	}
	return first, 0, errors.New("asking " + c.name() + ": there are fewer than two values of this host in that time, and a rate needs two; choose a longer time")
}

// spacing is the usual time between two values, in whole seconds of at least one; 0: there are
// no two.
func spacing(stamps []time.Time) time.Duration {
	slices.SortFunc(stamps, time.Time.Compare)
	var list []time.Duration
	for i := 1; i < len(stamps); i++ {
		if d := stamps[i].Sub(stamps[i-1]); d > 0 {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return max(list[len(list)/2].Round(time.Second), time.Second)
}

func stamp(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) }

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
