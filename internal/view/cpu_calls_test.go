package view

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestCallProfile(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	at := time.Unix(10, 0)
	w := recording.NewWriter(at)
	for _, r := range []recording.OnCPUSample{
		{PID: 1, Kernel: true, Samples: 30, Stack: "filemap_read;vfs_read;ksys_read;do_syscall_64;entry_SYSCALL_64_after_hwframe;read"},
		{PID: 1, Kernel: true, Samples: 10, Stack: "tcp_recvmsg;sock_read_iter;vfs_read;ksys_read;do_syscall_64;entry_SYSCALL_64_after_hwframe;read"},
		{PID: 1, Kernel: true, Samples: 10, Stack: "vfs_statx;__do_sys_newfstatat;do_syscall_64;entry_SYSCALL_64_after_hwframe"},
		{PID: 1, Kernel: true, Samples: 10, Stack: "do_syscall_64;entry_SYSCALL_64_after_hwframe;read"},
		{PID: 1, Kernel: true, Samples: 10, Stack: "clear_page;do_anonymous_page;handle_mm_fault;exc_page_fault"},
		{PID: 1, Samples: 30, Stack: "__x64_sys_of_mine;do_syscall_64;main"},
		{PID: 2, Kernel: true, Samples: 5, Stack: "do_epoll_wait;__arm64_sys_epoll_pwait;invoke_syscall;el0_svc_common.constprop.0;do_el0_svc;el0_svc"},
	} {
		r.At, r.Every = at, 20*time.Millisecond
		recording.Append(w, r)
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, time.Unix(0, 0), time.Unix(20, 0))
	got := v.CallProfile(1)
	want := CallProfile{Samples: 100, InCalls: 60, Named: 50, Calls: []SampledCall{{"read", 40, 10}, {"newfstatat", 10, 0}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	share, atLeast := got.Share(got.Calls[0])
	if math.Abs(share-0.48) > 1e-9 || atLeast < 0.37 || atLeast > 0.40 {
		t.Errorf("read takes %v, at least %v", share, atLeast)
	}
	arm := v.CallProfile(2)
	if diff := cmp.Diff(CallProfile{Samples: 5, InCalls: 5, Named: 5, Calls: []SampledCall{{Call: "epoll_pwait", Samples: 5}}}, arm); diff != "" {
		t.Error(diff)
	}
	none := v.CallProfile(3)
	if share, _ := none.Share(SampledCall{}); share != 0 || none.Samples != 0 {
		t.Errorf("of nobody: %+v", none)
	}
}
