package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/lab/cases"
)

func TestChoices(t *testing.T) {
	labs := []cases.Case{
		{ID: "control/idle"}, {ID: "net/a", Rule: "net/a"}, {ID: "net/b", Rule: "net/b"}, {ID: "disk/a", Rule: "disk/a"},
	}
	for _, c := range "abcdefghijklmnop" {
		labs = append(labs, cases.Case{ID: "cpu/" + string(c), Rule: "cpu/" + string(c)})
	}
	whys := map[string]int{}
	turns := map[string]bool{}
	for commit := range 48 {
		head := fmt.Sprintf("%07x", 0x1f2e3d*(commit+1))
		got := map[string]string{}
		for _, c := range choices(labs, head, map[string]string{"net/b": "view.Rate"}) {
			got[c.id] = c.why
			whys[c.why]++
			turns[c.id] = true
		}
		if got["control/idle"] != "control" || got["disk/a"] != "its turn" || got["net/b"] != "touched: view.Rate" {
			t.Errorf("after %s: %v", head, got)
		}
		// Of cpu's sixteen two run, of the others in net and disk the only one.
		if len(got) != 2+2+1+1 {
			t.Errorf("after %s these run: %v", head, got)
		}
	}
	if whys["its turn"] == 0 || len(turns) < len(labs)-1 {
		t.Errorf("labs do not take turns: %v, ran %v", whys, slices.Sorted(maps.Keys(turns)))
	}
}

func TestDiffering(t *testing.T) {
	before := `package p
import "fmt"
const a, b = 1, 2
type T struct{ n int }
func (t *T) M() { fmt.Println(t.n) }
func F() {}
func Gone() {}`
	after := `package p
import "os"
// a and b are numbers.
const a, b = 1, 3
type T struct{ n int }
func (t T) M() { os.Exit(t.n) }
// F has a comment now.
func F() {}
func New() {}`
	got := slices.Sorted(maps.Keys(differing(before, after)))
	if diff := cmp.Diff([]string{"(T).M", "Gone", "New", "a", "b"}, got); diff != "" {
		t.Error(diff)
	}
}

// A struct that only got fields touches those who name them.
func TestAddedFields(t *testing.T) {
	before := `package p
type T struct { A, B int; io.Reader }
type U struct { A int }
type V struct { A int }
type W struct { A int }
type X int
type G[E any] struct { A E }`
	after := `package p
type T struct {
	A int // the first
	New string
	B int
	io.Reader
}
type U struct { A int64; New int }
type V struct { B int }
type W struct { A int; io.Reader }
type X struct { A int }
type G[E any] struct { A E; New int }`
	got := slices.Sorted(maps.Keys(differing(before, after)))
	if diff := cmp.Diff([]string{"G", "T.New", "U", "V", "W", "X"}, got); diff != "" {
		t.Error(diff)
	}
}

// What a lab is touched by is asked of the code as it is.
func TestTouches(t *testing.T) {
	t.Chdir("../..")
	g, err := load("./internal/rule/...", "./internal/view", "./internal/recording", "./internal/probe/klog", "./internal/probe/capture", "./internal/lab/...", "./internal/packet/engine")
	if err != nil {
		t.Fatal(err)
	}
	touched := func(keys ...declKey) []string {
		hit := g.changed(change{decls: maps.Collect(func(yield func(declKey, bool) bool) {
			for _, k := range keys {
				if !yield(k, true) {
					return
				}
			}
		})})
		if len(hit) != len(keys) {
			t.Errorf("of %v only %v are declared", keys, hit)
		}
		return slices.Sorted(maps.Keys(g.touches(cases.All(), hit)))
	}
	if got := touched(declKey{"internal/probe/klog", "(Probe).Sample"}); !slices.Contains(got, "mem/cgroup-oom") || slices.Contains(got, "net/delayed-ack") {
		t.Errorf("the probe of the kernel log touches %v", got)
	}
	if got := touched(declKey{"internal/probe/capture", "appendConnection"}); !slices.Contains(got, "net/resets") || slices.Contains(got, "mysql/full-scan+digests") {
		t.Errorf("rows of connections in packets touch %v", got)
	}
	if got := touched(declKey{"internal/lab/cases", "Case.Alloc"}); !slices.Contains(got, "mem/leak+traced") || slices.Contains(got, "net/syn-flood") {
		t.Errorf("a field of cases touches %v", got)
	}
	if got := touched(declKey{"internal/lab/server", "StartMySQL"}); !slices.Contains(got, "mysql/row-lock-wait") || slices.Contains(got, "net/syn-flood") {
		t.Errorf("starting MySQL touches %v", got)
	}
	// Both rules of a pair, and the cases that it is made of.
	for _, key := range []declKey{{"internal/rule/cpu", "saturated"}, {"internal/rule/disk", "detectSaturated"}, {"internal/lab/cases", "cpuSaturated"}, {"internal/lab/cases", "diskSaturatedBy"}} {
		if got := touched(key); !slices.Contains(got, "pair/cpu+disk") || slices.Contains(got, "pair/leak+dns") {
			t.Errorf("%v touches %v", key, got)
		}
	}
	if got := touched(declKey{"internal/packet/engine", "Run"}, declKey{"internal/view", "Delta"}); !slices.Contains(got, "rt/chatty") || !slices.Contains(got, "net/syn-flood") {
		t.Errorf("the packet engine and rates touch %v", got)
	}
}
