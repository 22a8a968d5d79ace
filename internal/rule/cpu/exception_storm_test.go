package cpu

import (
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestExceptionStorm(t *testing.T) {
	// In ten seconds of one CPU there are 490 samples.
	host := func(cpu float64, rows ...recording.OnCPUSample) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := half().Process(ruletest.Process{PID: 70, Comm: "importer", CPU: cpu, Threads: 3})
			for i := range rows {
				rows[i].PID = 70
			}
			return h.OnCPU(rows...)
		}
	}
	sample := func(n int64, function, module, stack string) recording.OnCPUSample {
		return recording.OnCPUSample{Samples: n, Function: function, Module: module, Stack: stack}
	}
	own := func(n int64) recording.OnCPUSample { return sample(n, "parse", "importer", "parse;main") }
	unwinder := sample(250, "", "libgcc_s.so.1", "libgcc_s.so.1+0x16544")
	finder := sample(50, "_Unwind_Find_FDE", "libgcc_s.so.1", "_Unwind_Find_FDE")
	personality := sample(10, "__gxx_personality_v0", "libstdc++.so.6", "__gxx_personality_v0")
	java := sample(300, "", "libjvm.so", "java_lang_Throwable::fill_in_stack_trace;JVM_FillInStackTrace;?? ([jit])")
	ruletest.Check(t, exceptionStorm, []ruletest.Situation{
		{Name: "C++", Host: host(1, unwinder, finder, personality, own(180)), Want: rule.Likely, Kind: view.KindProcess, Subject: "importer", Low: 0.3, High: 0.33, Says: `spends 63 % of its CPU time on throwing and catching exceptions (C++)`},
		{Name: "Java", Host: host(1, java, own(190)), Want: rule.Likely, Kind: view.KindProcess, Subject: "importer", Low: 0.3, High: 0.33, Says: `(Java)`},
		{Name: "JavaScript", Host: host(1, sample(300, "x", "node", "v8::internal::StackFrameIterator::Advance;v8::internal::Isolate::UnwindAndFindHandler"), own(190)), Want: rule.Likely, Kind: view.KindProcess, Subject: "importer", Low: 0.3, High: 0.33, Says: `(JavaScript)`},
		{Name: "a bit more than half of the samples", Host: host(1, sample(260, "", "libjvm.so", "JVM_FillInStackTrace"), own(230))},
		{Name: "little of a core", Host: host(0.45, java, own(30))},
		{Name: "a profiler that walks stacks", Host: host(1, sample(300, "", "libgcc_s.so.1", "libgcc_s.so.1+0x16544;_Unwind_Backtrace"), own(100))},
		{Name: "libgcc, nobody knows what for", Host: host(1, unwinder, finder, own(100))},
		{Name: "works", Host: host(1, own(490))},
	})
}
