package event

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"

	"rtrail/internal/probe"
	"rtrail/internal/probe/kernel"
)

// Hook is a tracepoint and the programs that fit one form of it each. Arguments
// come, go and move between releases, and distributions port them back, so the
// form is read from the types of the running kernel.
type Hook struct {
	Tracepoint string
	Programs   []Variant
	// Module has the tracepoint where it is not a part of the kernel; "": it always is.
	Module string
	// Without says what is not seen where the tracepoint is missing; "": the source
	// cannot do without it.
	Without string
	// InsteadOf is the tracepoint of another hook: this one is for kernels that lack it.
	InsteadOf string
}

// Variant is a program for one form of a tracepoint.
type Variant struct {
	// Arguments that it reads, from the first one on: p for each pointer, i for each
	// number. "ippi" is a number, two pointers and a number.
	Arguments string
	Program   string // name of its function
}

// choose is the program that reads most of the arguments a tracepoint has; "" if
// none fits.
func (h *Hook) choose(arguments string) string {
	best, program := -1, ""
	for _, v := range h.Programs {
		if n := len(v.Arguments); n > best && strings.HasPrefix(arguments, v.Arguments) {
			best, program = n, v.Program
		}
	}
	return program
}

// prototypes tells the arguments of a tracepoint as letters of Variant; false if
// the kernel has no such tracepoint.
type prototypes func(tracepoint string) (arguments string, ok bool)

// prototypesOf reads them from the types of a kernel.
func prototypesOf(types *btf.Spec) prototypes {
	return func(tracepoint string) (string, bool) {
		var def *btf.Typedef
		if types.TypeByName("btf_trace_"+tracepoint, &def) != nil {
			return "", false
		}
		pointer, ok := btf.UnderlyingType(def).(*btf.Pointer)
		if !ok {
			return "", false
		}
		proto, ok := btf.UnderlyingType(pointer.Target).(*btf.FuncProto)
		if !ok || len(proto.Params) == 0 {
			return "", false
		}
		letters := make([]byte, 0, len(proto.Params))
		for _, p := range proto.Params[1:] { // the first one is the tracepoint's own
			letter := byte('i')
			if _, ok := btf.UnderlyingType(p.Type).(*btf.Pointer); ok {
				letter = 'p'
			}
			letters = append(letters, letter)
		}
		return string(letters), true
	}
}

// withModules also looks into the modules of hooks.
func withModules(hooks []Hook, known prototypes, module kernel.Module) prototypes {
	return func(tracepoint string) (string, bool) {
		if arguments, ok := known(tracepoint); ok {
			return arguments, true
		}
		for _, h := range hooks {
			if h.Tracepoint != tracepoint || h.Module == "" {
				continue
			}
			if types, err := module(h.Module); err == nil {
				return lookFor(types)(tracepoint)
			}
		}
		return "", false
	}
}

// otherKernel is what helps where a tracepoint is not as it is elsewhere.
const otherKernel = "another kernel: most have it"

// lacks says why a tracepoint is not known, and what helps. loaded tells loaded modules, also
// those without types.
func (h *Hook) lacks(module kernel.Module, loaded func(name string) bool) (how string, err error) {
	if h.Module == "" {
		return otherKernel, errors.New("this kernel has none")
	}
	none := fmt.Errorf("neither the kernel nor a module %s that is loaded has it", h.Module)
	_, err = module(h.Module)
	switch {
	case err == nil:
		return otherKernel, none
	case errors.Is(err, os.ErrPermission):
		return "run as root (CAP_SYS_ADMIN) if the module is loaded; else nothing uses it here", none
	case !errors.Is(err, os.ErrNotExist):
		return otherKernel, fmt.Errorf("read the types of the module %s: %w", h.Module, err)
	case loaded(h.Module):
		return "a kernel with CONFIG_DEBUG_INFO_BTF_MODULES=y (Linux 5.11 or newer)", errors.New("it is in a module, and this kernel tells no types of its modules")
	}
	return "if the module is not loaded, nothing uses it here", none
}

// moduleLoaded says whether a part of the kernel is a module that is loaded.
func moduleLoaded(name string) bool {
	_, err := os.Stat("/sys/module/" + name + "/initstate") // what is built in has none
	return err == nil
}

// wordsOf reads the names of values of enums; those that the kernel lacks are left
// out.
func wordsOf(enums []string, types *btf.Spec) map[string]map[uint64]string {
	words := map[string]map[uint64]string{}
	for _, name := range enums {
		var e *btf.Enum
		if types.TypeByName(name, &e) != nil {
			continue
		}
		words[name] = map[uint64]string{}
		for _, v := range e.Values {
			words[name][v.Value] = v.Name
		}
	}
	return words
}

// taskRegisters is the helper that reads the registers of a thread, since Linux 5.15.
const taskRegisters = "BPF_FUNC_task_pt_regs"

// hasHelper says whether a kernel has a helper for programs; tests leave helpers out.
var hasHelper = func(types *btf.Spec, helper string) bool {
	const helpers = "bpf_func_id"
	for _, name := range wordsOf([]string{helpers}, types)[helpers] {
		if name == helper {
			return true
		}
	}
	return false
}

// adapt leaves in an object the programs that fit the kernel, and says which
// program each hook gets and what is not seen without the others. Programs that no
// hook names stay: they are run by the reader.
func adapt(hooks []Hook, spec *ebpf.CollectionSpec, known prototypes, module kernel.Module) (attached map[string]string, without []string, err error) {
	attached = map[string]string{}
	choice := func(h *Hook) string {
		arguments, ok := known(h.Tracepoint)
		if !ok {
			return ""
		}
		return h.choose(arguments)
	}
	named := func(tracepoint string) func(Hook) bool {
		return func(h Hook) bool { return h.Tracepoint == tracepoint && choice(&h) != "" }
	}
	for i := range hooks {
		h := &hooks[i]
		program := choice(h)
		needless := h.InsteadOf != "" && slices.ContainsFunc(hooks, named(h.InsteadOf))
		if needless {
			program = ""
		}
		for _, v := range h.Programs {
			if v.Program != program {
				delete(spec.Programs, v.Program)
			}
		}
		switch {
		case program != "" && spec.Programs[program] == nil:
			return nil, nil, fmt.Errorf("adapt a BPF object: it has no program %s", program)
		case program != "":
			attached[program] = h.Tracepoint
		case needless || slices.ContainsFunc(hooks, func(other Hook) bool { return other.InsteadOf == h.Tracepoint }):
		case h.Without != "":
			without = append(without, h.Without)
		default:
			how, err := h.lacks(module, moduleLoaded)
			if arguments, ok := known(h.Tracepoint); ok {
				how, err = otherKernel, fmt.Errorf("its arguments are %q here", arguments)
			}
			return nil, nil, &probe.MissingError{What: "the tracepoint " + h.Tracepoint, How: how, Err: err}
		}
	}
	return attached, without, nil
}
