package refusal

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// The commands that show counters stay the same commands whatever the names of
// interfaces, namespaces, control groups, counters and servers.
func TestChecksArePasted(t *testing.T) {
	h := ruletest.New(4, 10)
	refused := func(_ float64, row *recording.CgroupSample) { row.EventsOOM += row.OOMKills }
	h.Cgroup(ruletest.Cgroup{Path: "/app.slice/web", Memory: 1 << 20, MemoryMax: 1 << 20, OOMKills: 5, Change: refused})
	ruletest.Every(h, func(at time.Time, s float64) recording.NetNSSample {
		return recording.NetNSSample{At: at, NetNS: 7, Name: "blue", PID: 70, Comm: "nginx"}
	})
	ruletest.Every(h, func(at time.Time, s float64) recording.NetDeviceSample {
		return recording.NetDeviceSample{At: at, NetNS: 7, Interface: "veth0", RxPackets: uint64(1000 * s), RxDropped: uint64(400 * s)}
	})
	ruletest.Every(h, func(at time.Time, s float64) recording.ProtocolSample {
		return recording.ProtocolSample{At: at, NetNS: 7, Protocol: "TcpExt", Name: "TCPReqQFullDrop", Value: int64(200 * s)}
	})
	for _, server := range []string{"10.0.0.2:3306", "/run/mysqld/mysqld.sock"} {
		h.MySQL(ruletest.MySQL{Server: server, User: "lab", Flavor: "MySQL", Version: "9.7.0", Rates: map[string]float64{"Aborted_connects": 40}, Errors: map[int32]float64{1205: 3}})
	}
	kinds := map[string]bool{}
	compared, names := h.Pasted(t, func(v *view.View) []ruletest.Printed {
		var list []ruletest.Printed
		for _, r := range Rising(v) {
			kinds[r.Scope.Subject.Kind] = true
			list = append(list, ruletest.Printed{Place: r.File + " of a " + r.Scope.Subject.Kind, Command: r.Check().String()})
		}
		return list
	})
	t.Logf("%d compared, %d with names, of %v", compared, names, kinds)
	for _, kind := range []string{"cgroup", "interface", "netns", "service"} {
		if !kinds[kind] {
			t.Errorf("no counter of a %s rose", kind)
		}
	}
	if names == 0 {
		t.Error("no command with a name in it was compared")
	}
}
