package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/conclusion"
	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// Verb is a test of the network that ends with a verdict: rtrail ping or throughput.
type Verb struct {
	Package string            // that judges, for the choice of labs that a change must pass
	In      func() *env.NetNS // where it runs
	Args    func() []string   // of rtrail, without --json
	Kind    string            // regular expression for the kind of the verdict under the fault
	Healthy string            // regular expression for the kinds without it

	congestion string // control that the kernel must have; "": any
}

// by has the kernel need a congestion control.
func (v *Verb) by(congestion string) *Verb {
	v.congestion = congestion
	return v
}

// missing says what the kernel lacks for the test, or "".
func (v *Verb) missing() string {
	if v == nil || v.congestion == "" {
		return ""
	}
	const list = "/proc/sys/net/ipv4/tcp_available_congestion_control"
	if text, _ := os.ReadFile(list); slices.Contains(strings.Fields(string(text)), v.congestion) {
		return ""
	}
	return "needs the congestion control " + v.congestion + ", which is not in " + list + "; modprobe tcp_" + v.congestion
}

func (c Case) verb() string {
	if c.Verb == nil {
		return ""
	}
	return c.Verb.Package
}

// verb runs the test three times: without the fault, with it, and after the fix.
func (r Runner) verb(ctx context.Context, c Case, e *env.Env, result *Result) error {
	healthy := func(when string) (*load.Measurement, error) {
		v, m, err := c.Verb.run(ctx, e)
		switch {
		case err != nil:
			return nil, err
		case !whole(c.Verb.Healthy, v.Kind):
			return m, fmt.Errorf("%s: %s: %s", when, v.Kind, v.Headline)
		}
		return m, nil
	}
	var err error
	if result.Before, err = healthy("before the fault"); err != nil {
		return err
	}
	e.Logf("%s: injecting the fault, %s before", c.ID, result.Before)
	if err := c.Inject(ctx, e); err != nil {
		return fmt.Errorf("inject the fault: %w", err)
	}
	v, m, err := c.Verb.run(ctx, e)
	if err != nil {
		return err
	}
	result.Under, result.Found, result.First = m, v.Headline, []string{v.Kind}
	if !whole(c.Verb.Kind, v.Kind) || c.Says != "" && !regexp.MustCompile(c.Says).MatchString(v.Headline) {
		return fmt.Errorf("want %s %s, found %s: %s %q", c.Verb.Kind, c.Says, v.Kind, v.Headline, v.Proof)
	}
	result.Rank = 1
	e.Logf("%s: found; applying the fix, %s under fault", c.ID, result.Under)
	if err := c.Fix(ctx, e); err != nil {
		return fmt.Errorf("apply the fix: %w", err)
	}
	result.After, err = healthy("after the fix")
	return err
}

// whole says whether a regular expression matches the whole text.
func whole(pattern, text string) bool {
	ok, err := regexp.MatchString("^(?:"+pattern+")$", text)
	return err == nil && ok
}

// verbLine is a line of JSON of any of these verbs.
type verbLine struct {
	Verdict  *conclusion.Verdict  `json:"verdict"`
	Verdicts []conclusion.Verdict `json:"verdicts"`

	Acked    *float64      `json:"acked_bytes"` // of a second of throughput
	Length   time.Duration `json:"length_ns"`
	Received *float64      `json:"received"` // of one of its packets
	Kind     string        `json:"kind"`     // of a ping
	Answer   string        `json:"answer"`
}

// run gives the verdict, and what users care about: bits or packets per second, or answers.
func (t *Verb) run(ctx context.Context, e *env.Env) (conclusion.Verdict, *load.Measurement, error) {
	var last conclusion.Verdict
	exe, err := os.Executable()
	if err != nil {
		return last, nil, fmt.Errorf("find rtrail itself: %w", err)
	}
	out, err := e.RunWith(ctx, env.Options{NetNS: t.In()}, exe, append(t.Args(), "--json")...)
	if err != nil {
		return last, nil, err
	}
	var bits, seconds, packets, answered, tries float64
	for lines := json.NewDecoder(bytes.NewReader([]byte(out))); lines.More(); {
		var l verbLine
		if err := lines.Decode(&l); err != nil {
			return last, nil, fmt.Errorf("read what rtrail says: %w", err)
		}
		switch {
		case l.Verdict != nil:
			last = *l.Verdict
		case len(l.Verdicts) > 0:
			last = l.Verdicts[0]
		case l.Acked != nil:
			bits, seconds = bits+8**l.Acked, seconds+l.Length.Seconds()
		case l.Received != nil:
			packets = max(packets, *l.Received)
		case l.Kind == "connect":
			if tries++; l.Answer == "SYN-ACK" {
				answered++
			}
		}
	}
	switch {
	case seconds > 0:
		return last, &load.Measurement{Value: bits / seconds / 1e6, Unit: "Mbit/s"}, nil
	case packets > 0:
		return last, &load.Measurement{Value: packets, Unit: "packets/s"}, nil
	}
	return last, &load.Measurement{Value: 100 * answered / max(tries, 1), Unit: "% of connects answered"}, nil
}
