package rule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/unit"
)

// Threshold is a number that a rule compares evidence with. It is declared
// beside the rule, listed by `rtrail explain RULE` and may be overridden for one
// run of the program. Two rules may share one.
type Threshold struct {
	Name   string  // "full-from"; with the rule's ID before it, "cpu/saturated.full-from"
	Value  float64 // in Unit; what rules read
	Unit   string  // "share", "seconds", "bytes", "per second", "ratio", "count"...
	Reason string  // why this number, in a sentence
	Source string  // who says so: a standard, a kernel file, a measurement or judgement

	preset *float64 // the value before it was overridden; nil: it was not
}

// Sources of thresholds that nobody else has published.
const (
	Judgement = "judgement"
	Measured  = "measured"
)

// Duration is a threshold in seconds as a time.
func (t *Threshold) Duration() time.Duration {
	return time.Duration(math.Round(t.Value * float64(time.Second)))
}

// Int is a threshold that counts things.
func (t *Threshold) Int() int { return int(math.Round(t.Value)) }

// Times is a ratio of times applied to one.
func (t *Threshold) Times(d time.Duration) time.Duration {
	return time.Duration(t.Value * float64(d))
}

// Overridden gives the value that the rule itself has, if there is another one
// in this run.
func (t *Threshold) Overridden() (preset float64, ok bool) {
	if t.preset == nil {
		return t.Value, false
	}
	return *t.preset, true
}

// Set overrides the value: "2%" or "0.02" of a share, "200ms" or "0.2" of
// seconds, "64KiB" or "65536" of bytes, a plain number of everything else. What
// a threshold cannot be is an error that says what it can be.
func (t *Threshold) Set(text string) error {
	v, err := parseAs(t.Unit, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	if v == 0 && t.Value > 0 && t.Unit == "count" {
		return fmt.Errorf("%q: a count of nothing proves nothing", text)
	}
	if t.preset == nil {
		own := t.Value
		t.preset = &own
	}
	t.Value = v
	return nil
}

// Reset undoes Set.
func (t *Threshold) Reset() {
	if t.preset != nil {
		t.Value, t.preset = *t.preset, nil
	}
}

// String is the value as people read it: "2 %", "200 ms", "64 KiB", "5 rows".
func (t *Threshold) String() string { return quantity(t.Value, t.Unit) }

// quantity prints a number with its unit.
func quantity(v float64, u string) string {
	switch u {
	case "share":
		return unit.Share(v).String()
	case "seconds":
		return unit.Seconds(v).String()
	case "bytes":
		return unit.Bytes(v).String()
	case "bytes per second":
		return unit.Bytes(v).String() + "/s"
	case "per second":
		return strconv.FormatFloat(v, 'g', -1, 64) + "/s"
	case "count":
		return unit.Count(v).String()
	case "ratio":
		return strconv.FormatFloat(v, 'g', -1, 64) + " times"
	}
	return strconv.FormatFloat(v, 'g', -1, 64) + " " + u
}

// parseAs reads a number as people write it in a unit.
func parseAs(u, text string) (float64, error) {
	number, factor, of := text, 1.0, 1.0
	form := "a number"
	switch u {
	case "share":
		form = "a share, such as 2% or 0.02"
		if p, ok := strings.CutSuffix(text, "%"); ok {
			number, of = strings.TrimSpace(p), 100
		}
	case "seconds":
		form = "a time, such as 200ms or 0.2"
		if d, err := time.ParseDuration(text); err == nil {
			number = strconv.FormatFloat(d.Seconds(), 'g', -1, 64)
		}
	case "bytes", "bytes per second":
		form = "bytes, such as 64KiB or 65536"
		for i, prefix := range []string{"KiB", "MiB", "GiB"} {
			if p, ok := strings.CutSuffix(text, prefix); ok {
				number, factor = strings.TrimSpace(p), float64(uint64(1)<<(10*(i+1)))
			}
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	v = v * factor / of
	switch {
	case err != nil, math.IsNaN(v), math.IsInf(v, 0), v < 0:
		return 0, fmt.Errorf("%q is not %s", text, form)
	case u == "share" && v > 1:
		return 0, fmt.Errorf("%q is more than all: a share is at most 100%%", text)
	case u == "count" && v != math.Trunc(v):
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return v, nil
}

// Override is a threshold with another value than its own.
type Override struct {
	ID        string // rule's ID, dot, name; of the first rule that has it
	Threshold *Threshold
}

// String says that the threshold was overridden.
func (o Override) String() string {
	return fmt.Sprintf("threshold %s is %v instead of %s", o.ID, o.Threshold, o.Own())
}

// Own is the value that the rule itself has, as people read it.
func (o Override) Own() string {
	own, _ := o.Threshold.Overridden()
	return quantity(own, o.Threshold.Unit)
}

// Overridden lists the thresholds of rules that were overridden, each once.
func Overridden(rules []Rule) (list []Override) {
	for _, r := range rules {
		for _, t := range r.Thresholds {
			named := func(o Override) bool { return o.Threshold == t }
			if _, is := t.Overridden(); is && !slices.ContainsFunc(list, named) {
				list = append(list, Override{ID: r.ID + "." + t.Name, Threshold: t})
			}
		}
	}
	return list
}
