package verdict

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// What holds up workers of a server explains why its service is slow, though that is named by
// the process which started them.
func TestWorkersAnswerForTheirService(t *testing.T) {
	h := ruletest.New(2, 10).System(ruletest.System{})
	for pid, comm := range []string{20: "nginx", 21: "nginx", 22: "nginx"} {
		if comm != "" {
			h.Process(ruletest.Process{PID: int32(pid), Comm: comm})
		}
	}
	ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
		return recording.ListenerSample{At: at, Local: "0.0.0.0", Port: 80, Inode: 5}
	})
	ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
		return recording.ListenerSample{At: at, Local: "0.0.0.0", Port: 81, Inode: 6} // another service of the same process
	})
	for inode, pids := range map[uint64][]int32{5: {20, 21}, 6: {20, 22}} {
		for _, pid := range pids {
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: pid, Inode: inode})
		}
	}
	v := h.View()
	oldest := v.Listeners()[0].Owners[0]
	for _, tt := range []struct {
		name, kind string
		waits      int32
		want       []string
	}{
		{"a worker", view.KindService, 21, []string{"disk/x(rt/y)"}},
		{"a worker of a listener", view.KindListener, 21, []string{"disk/x(rt/y)"}},
		{"what the process itself has is its own", view.KindProcess, 21, []string{"rt/y", "disk/x"}},
		{"a worker of another port", view.KindService, 22, []string{"rt/y", "disk/x"}},
	} {
		cause := rule.Finding{Subject: view.DeviceEntity("vda"), Affects: []view.Entity{v.ProcessEntity(tt.waits, "")}, Confidence: rule.Certain, Impact: rule.Impact{Share: 0.1}}
		service := view.Entity{Kind: tt.kind, Name: "http 10.0.0.1:80", PID: oldest.PID, Started: oldest.Started, Port: 80}
		slow := rule.Finding{Subject: service, Confidence: rule.Likely, Impact: rule.Impact{Share: 0.9}}
		got := outline(Judge(v, []rule.Rule{finds("disk/x", []string{"rt/y"}, cause), finds("rt/y", nil, slow)}).Findings)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
