package offcpu

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

func TestInterrupted(t *testing.T) {
	for name, tc := range map[string]struct {
		frames string
		rest   int // frames that are left; 0: all
		kind   string
	}{
		"a thread releases a futex": {"futex_wake do_futex __x64_sys_futex do_syscall_64 entry_SYSCALL_64_after_hwframe", 0, ""},
		"a timer": {"hrtimer_wakeup __hrtimer_run_queues hrtimer_interrupt __sysvec_apic_timer_interrupt sysvec_apic_timer_interrupt asm_sysvec_apic_timer_interrupt futex_wake do_futex",
			5, "timer"},
		"the network, after an interrupt": {"sock_def_readable tcp_data_queue tcp_v4_rcv ip_local_deliver __napi_poll net_rx_action handle_softirqs __irq_exit_rcu common_interrupt asm_common_interrupt vfs_read", 8, "network"},
		"a sender on this host":           {"sock_def_readable tcp_data_queue tcp_v4_rcv __napi_poll net_rx_action handle_softirqs do_softirq.part.0 __local_bh_enable_ip tcp_sendmsg __x64_sys_sendto", 0, ""},
		"a disk":                          {"bio_endio blk_mq_end_request virtblk_done vring_interrupt __handle_irq_event_percpu handle_irq_event common_interrupt asm_common_interrupt", 7, "block"},
		"a disk on arm64":                 {"blk_mq_end_request nvme_irq __handle_irq_event_percpu el1h_64_irq_handler el1h_64_irq do_idle", 4, "block"},
		"a softirq in its own thread":     {"process_timeout call_timer_fn run_timer_softirq handle_softirqs run_ksoftirqd smpboot_thread_fn kthread", 5, "timer"},
		"something else":                  {"strange asm_sysvec_call_function idle", 2, "other"},
		"too deep to see":                 {strings.Repeat("tcp_v4_rcv ", depth-6) + "__napi_poll net_rx_action", 0, "network"},
		"nothing":                         {"", 0, ""},
	} {
		frames := strings.Fields(tc.frames)
		rest, kind := interrupted(frames)
		if tc.rest == 0 {
			tc.rest = len(frames)
		}
		if kind != tc.kind || len(rest) != tc.rest {
			t.Errorf("%s: %q and %d frames (%v), want %q and %d", name, kind, len(rest), rest, tc.kind, tc.rest)
		}
	}
}

func TestState(t *testing.T) {
	for state_, want := range map[uint32]string{0: "R", 1: "S", 2: "D", 4: "T", 8: "t", 0x402: "D", 0x8000: "D", 0x1000: "D", math.MaxUint32: "S"} {
		if got := state(state_); got != want {
			t.Errorf("%#x is %s, want %s", state_, got, want)
		}
	}
}

// The step grows while stacks are taken too often, and shrinks again.
func TestPace(t *testing.T) {
	for _, tc := range []struct {
		step  uint64
		taken float64
		want  uint64
	}{
		{1 << 24, 5000, 1 << 25}, {1 << 24, 500, 1 << 24}, {1 << 24, 10, 1 << 23}, {minStep, 0, minStep}, {maxStep, 1e6, maxStep},
	} {
		if got := (pace{step: tc.step}).next(tc.taken); got != tc.want {
			t.Errorf("%d stacks a second with a step of %d: %d, want %d", int(tc.taken), tc.step, got, tc.want)
		}
	}
}

// Types are laid out as in bpf/offcpu.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 56 || s != 88 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}

// What is more than the rows of a reading is summed up by process.
func TestManyWaits(t *testing.T) {
	s := New(0)
	var keys []key
	var sums []sum
	total := time.Duration(0)
	for i := range uint32(3 * maxRows) {
		v := sum{NS: uint64(i+1) * 1000, Waits: 1024, Longest: 1000}
		copy(v.Process[:], fmt.Sprintf("p%d", i%2))
		keys, sums = append(keys, key{PID: 1 + i%2, TID: 100 + i, State: 1}), append(sums, v)
		total += time.Duration(v.NS)
	}
	rows := s.rows(keys, sums, time.Unix(10, 0), event.Traced{Span: 10 * time.Second})
	got, others := time.Duration(0), map[int32]string{}
	for i, r := range rows {
		got += r.Waited
		if r.TID == 0 {
			others[r.PID] = r.Process
		} else if i > 0 && r.Waited > rows[i-1].Waited {
			t.Errorf("row %d has more than the one before", i)
		}
	}
	if diff := cmp.Diff(map[int32]string{1: "p0", 2: "p1"}, others); diff != "" || len(rows) != maxRows+2 || got != total {
		t.Errorf("%d rows of %v, want %d of %v; others %s", len(rows), got, maxRows+2, total, diff)
	}
	if r := rows[0]; r.State != "S" || r.Span != 10*time.Second || r.Waits != 1 || r.Table() != recording.OffCPU {
		t.Errorf("%+v", r)
	}
}
