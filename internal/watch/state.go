package watch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// StateFormat is the version of the form of the state.
const StateFormat = 1

const (
	// MaxState bounds the bytes of a state.
	MaxState = 16 << 20
	// MaxPending is how many notices wait for one receiver at most.
	MaxPending = 100
	// MaxReceivers is how many receivers there are at most.
	MaxReceivers = 10
	// maxTimes bounds how often a fault may have come.
	maxTimes = 1 << 30
)

// State is what a restart needs: which faults were told, and which notices were not
// delivered yet, by receiver.
type State struct {
	Format  int                 `json:"format"`
	Host    string              `json:"host"`
	Saved   time.Time           `json:"saved"`
	Faults  []Fault             `json:"faults"`
	Pending map[string][]Notice `json:"pending"`
}

// State is what is to be kept, without the pending notices.
func (t *Tracker) State(now time.Time) State {
	s := State{Format: StateFormat, Host: t.Host, Saved: now, Faults: []Fault{}, Pending: map[string][]Notice{}}
	for _, f := range t.faults {
		if f.told() {
			s.Faults = append(s.Faults, *f)
		}
	}
	return s
}

// Resume goes on with faults that were told before a restart.
func (t *Tracker) Resume(s State, now time.Time) {
	for _, f := range s.Faults {
		f.judged = now
		t.faults = append(t.faults, &f)
	}
}

// Open are the faults that were told and are there.
func (t *Tracker) Open() (list []Notice) {
	for _, f := range t.faults {
		if f.Open {
			list = append(list, Notice{Event: Began, At: f.Last, Fault: f.ID, Times: f.Times, Host: t.Host, Key: f.Cause, Brief: f.About, Since: f.Since})
		}
	}
	return list
}

// Encode is the state as it is kept.
func (s State) Encode() ([]byte, error) { return json.Marshal(s) }

// DecodeState reads a state of a host. What this version would not have written is an error.
func DecodeState(b []byte, host string, now time.Time) (State, error) {
	if len(b) > MaxState {
		return State{}, fmt.Errorf("larger than %d MiB", MaxState>>20)
	}
	var form struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &form); err != nil {
		return State{}, fmt.Errorf("not JSON: %w", err)
	}
	if form.Format != StateFormat {
		return State{}, fmt.Errorf("format %d: this version reads %d", form.Format, StateFormat)
	}
	var s State
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return State{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return State{}, errors.New("more than one value")
	}
	if s.Host != host {
		return State{}, fmt.Errorf("of another host, %.80q", s.Host)
	}
	s.mendTimes(now)
	return s, s.check()
}

// mendTimes corrects times that contradict each other because the clock was set meanwhile.
func (s *State) mendTimes(now time.Time) {
	for i := range s.Faults {
		f := &s.Faults[i]
		mendTimes(now, &f.Since, &f.Last)
	}
	for _, list := range s.Pending {
		for i := range list {
			n := &list[i]
			mendTimes(now, &n.Since, n.Until)
			mendTimes(now, &n.At, nil)
		}
	}
}

// mendTimes replaces times that cannot be by now, and moves a beginning that is after its end to
// that end. end may be nil.
func mendTimes(now time.Time, begin, end *time.Time) {
	for _, at := range []*time.Time{begin, end} {
		if at != nil && (at.Year() < 2000 || at.After(now.Add(ahead))) {
			*at = now
		}
	}
	if end != nil && begin.After(*end) {
		*begin = *end
	}
}

// check refuses what no watch has written.
func (s *State) check() error {
	if len(s.Faults) > maxFaults || len(s.Pending) > MaxReceivers {
		return fmt.Errorf("%d faults and %d receivers: more than there can be", len(s.Faults), len(s.Pending))
	}
	ids := map[string]bool{}
	for i := range s.Faults {
		f := &s.Faults[i]
		if err := checkFault(f); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
		if ids[f.ID] {
			return fmt.Errorf("fault %d: a second one with ID %.20q", i+1, f.ID)
		}
		ids[f.ID] = true
	}
	for to, list := range s.Pending {
		if !isID(to) || len(list) > MaxPending {
			return fmt.Errorf("receiver %.20q with %d notices", to, len(list))
		}
		for i := range list {
			if err := checkNotice(&list[i]); err != nil {
				return fmt.Errorf("notice %d: %w", i+1, err)
			}
		}
	}
	return nil
}

func checkFault(f *Fault) error {
	switch {
	case !isID(f.ID):
		return fmt.Errorf("ID %.20q", f.ID)
	case f.Times < 1 || f.Times > maxTimes || f.Changes < 0 || f.Changes > maxTimes:
		return fmt.Errorf("it came %d times and changed %d times", f.Times, f.Changes)
	case len(f.Members) > maxMembers+1:
		return fmt.Errorf("%d findings", len(f.Members))
	}
	texts := []string{f.Cause.Rule, f.Cause.Subject}
	for _, m := range f.Members {
		texts = append(texts, m.Rule, m.Subject)
	}
	return cmp.Or(checkRule(f.Cause.Rule), checkTexts(texts...), checkBrief(f.About.Confidence, f.About.Headline, f.About.Impact, f.About.Who, f.About.Look, f.About.Change))
}

func checkNotice(n *Notice) error {
	switch {
	case n.Event != Began && n.Event != Changed && n.Event != Ended:
		return fmt.Errorf("event %.20q", n.Event)
	case !isID(n.Fault):
		return fmt.Errorf("ID %.20q", n.Fault)
	case n.Times < 1 || n.Times > maxTimes || n.Alike < 0:
		return errors.New("numbers that cannot be")
	case (n.Event == Ended) != (n.Until != nil):
		return errors.New("an end without a time, or a time without an end")
	}
	texts := []string{n.Host, n.Rule, n.Subject, n.See}
	for _, c := range []*Cause{n.Was, n.Within} {
		if c != nil {
			texts = append(texts, c.Rule, c.Subject, c.Headline)
			if err := checkRule(c.Rule); err != nil {
				return err
			}
		}
	}
	return cmp.Or(checkRule(n.Rule), checkTexts(texts...), checkBrief(n.Confidence, n.Headline, n.Impact, n.Who, n.Look, n.Change))
}

func checkBrief(confidence string, texts ...string) error {
	if confidence != "likely" && confidence != "certain" {
		return fmt.Errorf("confidence %.20q", confidence)
	}
	return checkTexts(texts...)
}

// maxText bounds a text of a state: those of a window are cut at maxLine, and a byte that is no UTF-8
// takes three in JSON.
const maxText = 4 << 10

func checkTexts(texts ...string) error {
	for _, s := range texts {
		if len(s) > maxText {
			return fmt.Errorf("a text of %d bytes", len(s))
		}
	}
	return nil
}

// ahead is how far a clock that was set back may leave times in the future.
const ahead = 24 * time.Hour

// checkRule wants the ID of a rule as every version has had them: it gets into commands.
func checkRule(id string) error {
	domain, name, ok := strings.Cut(id, "/")
	if !ok || domain == "" || name == "" || strings.Trim(domain+name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("rule %.40q", id)
	}
	return nil
}

// isID says whether a text is one of the IDs of faults and receivers.
func isID(s string) bool {
	return len(s) == 12 && strings.Trim(s, "0123456789abcdef") == ""
}
