package cases

import (
	"bytes"
	"strings"
	"testing"

	"rtrail/internal/document"
)

func TestConfusion(t *testing.T) {
	of := func(c Case, rounds ...Result) Summary { return Summary{Case: c, Rounds: rounds} }
	first := func(rules ...string) Result { return Result{First: append([]string{}, rules...)} }
	again := func(last Result, earlier ...Result) Result { last.Earlier = earlier; return last }
	cpu, disk := Case{ID: "cpu/a", Rule: "cpu/a"}, Case{ID: "disk/a", Rule: "disk/a"}
	both := Case{ID: "pair/a", Rule: "cpu/a", Parts: []Case{cpu, disk}}
	control := Case{ID: "control/a"}
	for _, tt := range []struct {
		name string
		all  []Summary
		has  []string
		not  []string
	}{
		{"no verdict", []Summary{of(cpu, Result{}, Result{First: []string{}, Skipped: true}, Result{First: []string{}, Unjudged: true})}, nil, []string{"Injected"}},
		{"all right", []Summary{of(cpu, first("cpu/a"), first("cpu/a")), of(both, first("disk/a", "cpu/a")), of(control, first())},
			[]string{"the same in 5 of 5 faults and controls", "| cpu | 3 | · | · |", "| disk | · | 1 | · |", "| nothing | · | · | 1 |"}, []string{"ranked first |"}},
		{"another one", []Summary{of(cpu, first("cpu/a"), first("cpu/b"))},
			[]string{"the same in 1 of 2 faults and controls", "| cpu | 2 |", "| cpu/a | cpu/b | cpu/a |"}, nil},
		{"a second try that passed", []Summary{of(cpu, again(first("cpu/a"), first("cpu/b")))},
			[]string{"the same in 1 of 2 faults and controls", "| cpu/a | cpu/b | cpu/a |"}, nil},
		{"a first try that was disturbed", []Summary{of(cpu, again(first("cpu/a"), Result{First: []string{"cpu/b"}, Unjudged: true}))},
			[]string{"the same in 1 of 1 fault or control"}, []string{"cpu/b"}},
		{"two tries that failed", []Summary{of(cpu, again(first("cpu/b"), first("cpu/b")))}, []string{"the same in 0 of 2 faults and controls"}, nil},
		{"nothing found", []Summary{of(cpu, first())}, []string{"in 0 of 1 fault or control", "| cpu/a | nothing | cpu/a |"}, nil},
		{"an accused control", []Summary{of(control, first("net/a"))}, []string{"| nothing | net/a | control/a |"}, nil},
		{"of a pair one, and a stranger", []Summary{of(both, first("net/a", "cpu/a"))}, []string{"| cpu | 1 | · |", "| disk/a | net/a | pair/a |"}, nil},
		{"of a pair one alone", []Summary{of(both, first("disk/a"))}, []string{"| cpu/a | nothing | pair/a |"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := document.Markdown(&out, document.Document{Blocks: confusion(tt.all)}); err != nil {
				t.Fatal(err)
			}
			for _, words := range tt.has {
				if !strings.Contains(out.String(), words) {
					t.Errorf("no %q in\n%s", words, out.String())
				}
			}
			for _, words := range tt.not {
				if strings.Contains(out.String(), words) {
					t.Errorf("%q in\n%s", words, out.String())
				}
			}
		})
	}
}
