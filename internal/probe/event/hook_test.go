package event

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

// The form of a tracepoint chooses the program.
func TestChoose(t *testing.T) {
	sched := Hook{Tracepoint: "sched_switch", Programs: []Variant{{"ipp", "plain"}, {"ippi", "state"}, {"iipp", "early"}}}
	drop := Hook{Tracepoint: "kfree_skb", Programs: []Variant{{"pp", "plain"}, {"ppi", "reason"}}}
	for _, tc := range []struct {
		hook            Hook
		arguments, want string
	}{
		{sched, "ipp", "plain"}, {sched, "ippi", "state"}, {sched, "iipp", "early"}, {sched, "ippip", "state"}, {sched, "pp", ""}, {sched, "", ""},
		{drop, "pp", "plain"}, {drop, "ppi", "reason"}, {drop, "ppip", "reason"},
	} {
		if got := tc.hook.choose(tc.arguments); got != tc.want {
			t.Errorf("%s(%s): %q, want %q", tc.hook.Tracepoint, tc.arguments, got, tc.want)
		}
	}
}

func TestAdapt(t *testing.T) {
	hooks := []Hook{
		{Tracepoint: "must", Programs: []Variant{{"p", "one"}, {"pi", "two"}}},
		{Tracepoint: "may", Programs: []Variant{{"p", "three"}}, Without: "the third"},
		{Tracepoint: "before", InsteadOf: "must", Programs: []Variant{{"i", "four"}}},
	}
	for name, tc := range map[string]struct {
		kernel   map[string]string
		programs string
		without  string
		missing  string // the tracepoint that cannot be done without
	}{
		"all":           {map[string]string{"must": "pi", "may": "p", "before": "i"}, "own three two", "", ""},
		"another one":   {map[string]string{"may": "p", "before": "ip"}, "four own three", "", ""},
		"neither fits":  {map[string]string{"must": "i", "may": "p", "before": "p"}, "", "", "before"},
		"older":         {map[string]string{"must": "p", "may": "pp"}, "one own three", "", ""},
		"one left out":  {map[string]string{"must": "p"}, "one own", "the third", ""},
		"one is other":  {map[string]string{"must": "p", "may": "i"}, "one own", "the third", ""},
		"must left out": {map[string]string{"may": "p"}, "", "", "before"},
		"must is other": {map[string]string{"must": "i", "may": "p", "before": "i"}, "four own three", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &ebpf.CollectionSpec{Programs: map[string]*ebpf.ProgramSpec{}}
			for _, p := range []string{"one", "two", "three", "four", "own"} {
				spec.Programs[p] = &ebpf.ProgramSpec{}
			}
			attached, without, err := adapt(hooks, spec, func(tracepoint string) (string, bool) {
				arguments, ok := tc.kernel[tracepoint]
				return arguments, ok
			}, nil)
			if tc.missing != "" {
				if missing, ok := errors.AsType[*probe.MissingError](err); !ok || !strings.Contains(missing.What, tc.missing) {
					t.Errorf("%v, want %q to be missing", err, tc.missing)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var programs []string
			for p := range spec.Programs {
				programs = append(programs, p)
			}
			slices.Sort(programs)
			if got := strings.Join(programs, " "); got != tc.programs || strings.Join(without, " ") != tc.without || len(attached) != len(programs)-1 {
				t.Errorf("programs %q, attached %v, without %q; want %q without %q", got, attached, without, tc.programs, tc.without)
			}
		})
	}
}

// The types of a kernel tell what a tracepoint passes.
func TestPrototypes(t *testing.T) {
	task := &btf.Pointer{Target: &btf.Struct{Name: "task_struct"}}
	number := &btf.Int{Name: "unsigned int", Size: 4}
	proto := &btf.FuncProto{Return: &btf.Void{}, Params: []btf.FuncParam{{Type: &btf.Pointer{Target: &btf.Void{}}}, {Type: number}, {Type: task}, {Type: &btf.Typedef{Name: "u32", Type: number}}}}
	b, err := btf.NewBuilder([]btf.Type{&btf.Typedef{Name: "btf_trace_some", Type: &btf.Pointer{Target: proto}}, &btf.Typedef{Name: "btf_trace_odd", Type: number}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := btf.LoadSpecFromReader(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	known := prototypesOf(spec)
	if got, ok := known("some"); !ok || got != "ipi" {
		t.Errorf("some: %q, %v", got, ok)
	}
	// A tracepoint may be a module's.
	nothing := func(string) (string, bool) { return "", false }
	module := func(name string) (*btf.Spec, error) {
		if name != "ext4" {
			return nil, os.ErrNotExist
		}
		return spec, nil
	}
	for of, found := range map[string]bool{"ext4": true, "xfs": false, "": false} {
		got, ok := withModules([]Hook{{Tracepoint: "some", Module: of}}, nothing, module)("some")
		if ok != found || ok && got != "ipi" {
			t.Errorf("some of module %q: %q, %v", of, got, ok)
		}
	}
	for _, name := range []string{"odd", "none"} {
		if got, ok := known(name); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What is missing depends on why the types of a module are not known.
func TestLacks(t *testing.T) {
	for name, tc := range map[string]struct {
		module   string
		err      error // of its types
		loaded   bool
		how, why string // how each begins and ends
	}{
		"a part of the kernel":     {"", nil, false, "another kernel", "has none"},
		"a module without it":      {"ext4", nil, true, "another kernel", "nor a module ext4 that is loaded has it"},
		"not as root":              {"ext4", unix.EPERM, true, "run as root", "nor a module ext4 that is loaded has it"},
		"a module without types":   {"ext4", &os.PathError{Op: "open", Path: "/sys/kernel/btf/ext4", Err: os.ErrNotExist}, true, "a kernel with CONFIG_DEBUG_INFO_BTF_MODULES", "no types of its modules"},
		"a module not loaded":      {"ext4", os.ErrNotExist, false, "if the module is not loaded", "nor a module ext4 that is loaded has it"},
		"a module with torn types": {"ext4", errors.New("torn"), true, "another kernel", "torn"},
	} {
		t.Run(name, func(t *testing.T) {
			h := Hook{Tracepoint: "some", Module: tc.module}
			module := func(string) (*btf.Spec, error) { return nil, tc.err }
			how, err := h.lacks(module, func(string) bool { return tc.loaded })
			if err == nil || !strings.HasPrefix(how, tc.how) || !strings.HasSuffix(err.Error(), tc.why) {
				t.Errorf("%v; %s: want %q, and %q", err, how, tc.why, tc.how)
			}
		})
	}
}

// LeaveOut makes the kernel look as if it had no such tracepoints, until the test ends.
func LeaveOut(t *testing.T, tracepoints ...string) {
	before := lookFor
	lookFor = func(types *btf.Spec) prototypes {
		known := before(types)
		return func(name string) (string, bool) {
			if slices.Contains(tracepoints, name) {
				return "", false
			}
			return known(name)
		}
	}
	t.Cleanup(func() { lookFor = before })
}

// LeaveOutHelpers makes the kernel look as if it had no helpers, until the test ends.
func LeaveOutHelpers(t *testing.T) {
	before := hasHelper
	hasHelper = func(*btf.Spec, string) bool { return false }
	t.Cleanup(func() { hasHelper = before })
}

// GoOver has a probe count in slices, as if all of the time cost more than its budget.
func GoOver(p *Probe, w *recording.Writer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.slice(2*p.options.Budget, func() error { return p.sums(context.Background(), w, true) })
	return err
}

// Dear has slices look as if all of the time still cost the whole budget.
func Dear(p *Probe) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slicer.open = p.options.Budget
}

// Slices counts in slices of a length, and gives how long programs counted.
func Slices(p *Probe, n int, length time.Duration) (traced time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endTurns()
	before := p.set.Traced()
	for range n {
		err = errors.Join(err, p.between(), p.resume())
		time.Sleep(length)
		err = errors.Join(err, p.between())
		time.Sleep(length)
	}
	return p.set.Traced() - before, err
}
