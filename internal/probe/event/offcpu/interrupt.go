package offcpu

import "strings"

// What the stack of a waker tells of who really woke: where an interrupt came in
// between, the thread below it happened to be there.
var (
	// asked are frames by which a thread itself runs the work of an interrupt, as
	// one that sends to this host does.
	asked = []string{"__local_bh_enable_ip", "do_softirq"}
	// broke are frames by which interrupts come in, and the threads that do their
	// work later.
	broke = []string{"__irq_exit_rcu", "irq_exit", "run_ksoftirqd", "asm_common_interrupt", "asm_sysvec_", "sysvec_", "common_interrupt",
		"el1h_64_irq", "el0t_64_irq", "el1_interrupt", "el0_interrupt", "irq_thread"}
	// kinds are frames that tell what an interrupt was about, the surest first.
	kinds = []struct{ prefix, kind string }{
		{"net_rx_action", "network"}, {"net_tx_action", "network"}, {"__napi_poll", "network"},
		{"blk_", "block"}, {"bio_endio", "block"}, {"nvme_", "block"}, {"scsi_", "block"}, {"virtblk_", "block"},
		{"hrtimer_", "timer"}, {"__hrtimer_", "timer"}, {"run_timer_", "timer"}, {"call_timer_fn", "timer"}, {"__run_timers", "timer"}, {"tick_", "timer"},
		{"rcu_", "RCU"}, {"tasklet_", "tasklet"}, {"irq_work_", "deferred work"}, {"sched_", "scheduler"},
		{"__handle_irq_event", "device"}, {"handle_irq_event", "device"}, {"irq_thread", "device"},
	}
)

// interrupted says which kind of interrupt woke, and cuts off what lies below it; ""
// for a thread that did so itself.
func interrupted(frames []string) (rest []string, kind string) {
	for i, f := range frames {
		switch {
		case begins(f, asked):
			return frames, ""
		case begins(f, broke):
			return frames[:i+1], kindOf(frames[:i+1])
		}
	}
	// A stack too deep to show how its interrupt came in.
	if len(frames) > 0 && len(frames) >= depth-8 {
		if kind := kindOf(frames); kind == "network" || kind == "block" {
			return frames, kind
		}
	}
	return frames, ""
}

func begins(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// kindOf is what an interrupt was about.
func kindOf(frames []string) string {
	for _, k := range kinds {
		for _, f := range frames {
			if strings.HasPrefix(f, k.prefix) {
				return k.kind
			}
		}
	}
	return "other"
}
