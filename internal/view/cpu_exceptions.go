package view

import (
	"slices"
	"strings"
)

// ExceptionProfile is what samples on the CPUs tell of the exceptions of a process:
// making them, with their stack traces, and looking for who catches them.
type ExceptionProfile struct {
	Samples    int64  // of the process
	Exceptions int64  // of these, for exceptions
	Language   string // "C++", "Java", "JavaScript", "Go": of the most; "" without exceptions
}

// Share is the part of the CPU time of the process, and what is exceeded with a
// probability of 97 %.
func (p *ExceptionProfile) Share() (share, atLeast float64) {
	if p.Samples == 0 {
		return 0, 0
	}
	share = float64(p.Exceptions) / float64(p.Samples)
	return share, shareAtLeast(share, float64(p.Samples))
}

// exceptionFunctions begin with these words, by language. Those of C++ are the ones of
// libstdc++ and libgcc, whose own callees have no names.
var exceptionFunctions = []struct {
	language string
	prefixes []string
}{
	{"C++", []string{"_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Find_FDE", "_Unwind_Set", "_Unwind_Get", "__gxx_personality_v0", "__cxa_throw", "__cxa_rethrow",
		"__cxa_begin_catch", "__cxa_end_catch", "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_init_primary_exception", "uw_frame_state_for", "uw_update_context", "execute_cfa_program"}},
	{"Java", []string{"JVM_FillInStackTrace", "java_lang_Throwable::", "OptoRuntime::rethrow_C", "OptoRuntime::handle_exception_C", "SharedRuntime::raw_exception_handler_for_return_address",
		"SharedRuntime::compute_compiled_exc_handler", "SharedRuntime::continuation_for_implicit_exception", "Runtime1::handle_exception", "exception_handler_for_pc_helper", "InterpreterRuntime::exception_handler_for_exception"}},
	{"JavaScript", []string{"v8::internal::Isolate::UnwindAndFindHandler", "v8::internal::Isolate::CaptureAndSetErrorStack", "v8::internal::Isolate::CaptureSimpleStackTrace", "v8::internal::Isolate::Throw",
		"v8::internal::ErrorUtils::", "v8::internal::Runtime_UnwindAndFindExceptionHandler"}},
	{"Go", []string{"runtime.gopanic", "runtime.recovery"}},
}

// throwing are functions of C++ that only exceptions use: libgcc also walks stacks for
// profilers and dumps.
var throwing = []string{"_Unwind_RaiseException", "_Unwind_Resume", "__gxx_personality_v0", "__cxa_throw", "__cxa_allocate_exception"}

// ExceptionProfile sums up how often samples found a process at its exceptions.
func (v *View) ExceptionProfile(pid int32) ExceptionProfile {
	var p ExceptionProfile
	of := map[string]int64{}
	thrown := false
	for _, r := range v.onCPU()[pid] {
		p.Samples += r.Samples
		language := throws(r.Stack)
		if language == "" && (r.Function == "" || strings.HasPrefix(r.Function, r.Module+"+")) && strings.HasPrefix(r.Module, "libgcc_s.so") && !strings.Contains(r.Stack, "_Unwind_Backtrace") {
			language = "C++"
		}
		of[language] += r.Samples
		thrown = thrown || slices.ContainsFunc(throwing, func(name string) bool { return strings.Contains(r.Stack, name) })
	}
	if !thrown {
		delete(of, "C++")
	}
	delete(of, "")
	for _, l := range exceptionFunctions {
		p.Exceptions += of[l.language]
		if of[l.language] > of[p.Language] {
			p.Language = l.language
		}
	}
	return p
}

// throws says of which language an exception is that a stack deals with; "": none.
func throws(stack string) string {
	if strings.Contains(stack, "_Unwind_Backtrace") {
		return ""
	}
	own := false // a function of the program was seen further in
	for frame := range strings.SplitSeq(stack, ";") {
		if strings.HasPrefix(frame, "runtime.gopanic") && own {
			return "" // what deferred functions do, which may be all of the program
		}
		own = own || !strings.HasPrefix(frame, "runtime.")
		for _, l := range exceptionFunctions {
			if slices.ContainsFunc(l.prefixes, func(prefix string) bool { return strings.HasPrefix(frame, prefix) }) {
				return l.language
			}
		}
	}
	return ""
}
