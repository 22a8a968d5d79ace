package ruletest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell/shelltest"
	"rtrail/internal/view"
)

// Printed is a command that is printed for people to paste.
type Printed struct {
	Place   string // what it belongs to; it stays the same with other names
	Command string
}

// Pasted fails the test when names in the evidence change what the commands do
// that are made of it. The evidence is rewritten twice, with harmless names and
// with hostile ones, and shells must read the same commands. Texts that what is
// printed depends on, as those of known programs and settings, stay as they are.
// It returns how many commands were compared, and how many of them hold a name.
func (h *Host) Pasted(t *testing.T, print func(*view.View) []Printed) (compared, names int) {
	t.Helper()
	look := func(rec *recording.Recording) []Printed {
		return print(view.New(rec, Start, Start.Add(dur(h.Seconds))))
	}
	base := look(h.Rec)
	if len(base) == 0 {
		return 0, 0
	}
	for _, p := range base {
		if err := shelltest.Parses(p.Command); err != nil {
			t.Errorf("%s: %s: %v", p.Place, p.Command, err)
		}
	}
	harmless := func(texts map[string]bool, first bool) []Printed {
		return look(renamed(h.Rec, texts, shelltest.Marker, first))
	}
	free := changeable(texts(h.Rec), func(texts map[string]bool) bool { return samePlaces(harmless(texts, false), base) })
	for _, p := range shelltest.Payloads {
		hostile := func(texts map[string]bool) []Printed { return look(renamed(h.Rec, texts, p.Text, p.First)) }
		chosen := changeable(free, func(texts map[string]bool) bool {
			return samePlaces(hostile(texts), base) && (!p.First || samePlaces(harmless(texts, true), base))
		})
		set := asSet(chosen)
		calm, bad := harmless(set, p.First), hostile(set)
		for i := range calm {
			if bad[i].Command == "" {
				continue // it cannot be written safely, and so is not offered
			}
			compared++
			if holdsMarker(calm[i].Command) {
				names++
			}
			if err := shelltest.Same(calm[i].Command, bad[i].Command, p.Text); err != nil {
				t.Errorf("names with %q, %s: %v\n%s\nwith harmless names\n%s", p.Text, bad[i].Place, err, bad[i].Command, calm[i].Command)
			}
		}
	}
	return compared, names
}

// samePlaces says that the same commands are printed, whatever is in them.
func samePlaces(a, b []Printed) bool {
	return slices.EqualFunc(a, b, func(a, b Printed) bool { return a.Place == b.Place })
}

// changeable are those texts that can be changed together without a test failing:
// all, or what is left when halves that fail are tried again by halves.
func changeable(list []string, holds func(map[string]bool) bool) []string {
	var kept []string
	var try func([]string)
	try = func(part []string) {
		if len(part) == 0 {
			return
		}
		if holds(asSet(slices.Concat(kept, part))) {
			kept = append(kept, part...)
			return
		}
		if len(part) > 1 {
			try(part[:len(part)/2])
			try(part[len(part)/2:])
		}
	}
	try(list)
	return kept
}

func asSet(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}

// commands lists those of what a rule finds.
func commands(r rule.Rule) func(*view.View) []Printed {
	return func(v *view.View) []Printed {
		found, err := r.Detect(v)
		if err != nil {
			return nil
		}
		var list []Printed
		for i, f := range found {
			place := fmt.Sprintf("%s, finding %d, %s about %s: %s", r.ID, i, f.Confidence, f.Subject.Kind, f.Headline.Format)
			for _, e := range f.Evidence {
				list = append(list, Printed{place + ", check of " + e.Metric.ID + ", " + e.What.Format, e.Command().String()})
			}
			for _, x := range f.Fixes {
				list = append(list, Printed{place + ", fix " + x.Text.Format, x.Command.String()})
			}
		}
		return list
	}
}

// comparison counts what was compared of the commands of each rule.
var comparison struct {
	sync.Mutex
	compared, names map[string]int
}

// pasted has a rule look at its host again under hostile names.
func (h *Host) pasted(t *testing.T, r rule.Rule) {
	t.Helper()
	compared, names := h.Pasted(t, commands(r))
	comparison.Lock()
	defer comparison.Unlock()
	if comparison.compared == nil {
		comparison.compared, comparison.names = map[string]int{}, map[string]int{}
	}
	comparison.compared[r.ID] += compared
	comparison.names[r.ID] += names
}

// checks look at every finding that Detect gives.
var checks []func(*testing.T, rule.Finding)

// Main runs the tests of a package of rules and fails if there is one of which no
// command was compared under hostile names.
//
//	func TestMain(m *testing.M) { ruletest.Main(m, Rules) }
func Main(m *testing.M, rules []rule.Rule, all ...func(*testing.T, rule.Finding)) {
	checks = all
	time.Local = time.UTC // the zone of all times in answers
	code := m.Run()
	for _, name := range []string{"test.run", "test.skip", "test.bench", "test.fuzz", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			os.Exit(code) // not all tests ran
		}
	}
	for _, r := range rules {
		compared, names := comparison.compared[r.ID], comparison.names[r.ID]
		if testing.Verbose() {
			fmt.Printf("%s: %d commands compared under hostile names, %d with names in them\n", r.ID, compared, names)
		}
		if compared == 0 {
			fmt.Printf("FAIL: %s: no command was compared under hostile names: have a test with a finding call Host.Detect, Check or Judge\n", r.ID)
			code = max(code, 1)
		}
		if words := chartless(r.ID); words != "" {
			fmt.Println("FAIL: " + words)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
