package catalogue

import (
	"slices"
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// Where the kernel log cannot be read, as in most containers, control groups tell of the kills
// in them, and the counter of the host of others, where it is not that of all containers.
func TestKillsWithoutKernelLog(t *testing.T) {
	var rules []rule.Rule
	for _, id := range []string{"mem/cgroup-oom", "mem/oom-kill"} {
		r, ok := Find(id)
		if !ok {
			t.Fatalf("no rule %s", id)
		}
		rules = append(rules, r)
	}
	untold := func(_ float64, r *recording.CgroupSample) { r.OOMKills = recording.Unknown }
	outside := func(m *recording.Manifest) { m.Host.Container = false }
	old := func(m *recording.Manifest) { m.Host.Container, m.Host.Kernel = false, "4.9.0-13-amd64" }
	before52 := func(m *recording.Manifest) { m.Host.Container, m.Host.Kernel = false, "5.1.21" }
	first := func(_ float64, r *recording.CgroupSample) {
		r.Version, r.EventsOOM, r.Anon, r.File = 1, recording.Unknown, r.Memory, 0
	}
	for _, c := range []struct {
		name      string
		kills     float64 // of the whole host, per second
		group     ruletest.Cgroup
		host      func(*recording.Manifest)
		found     string
		sure      rule.Confidence
		notJudged []string
	}{
		{"a kill", 0.1, ruletest.Cgroup{OOMKills: 0.1}, nil, "mem/cgroup-oom", rule.Certain, []string{"mem/oom-kill"}},
		{"none", 0, ruletest.Cgroup{}, nil, "", 0, []string{"mem/oom-kill"}},
		{"kills are not counted", 0, ruletest.Cgroup{Change: untold}, nil, "", 0, []string{"mem/cgroup-oom", "mem/oom-kill"}},
		{"a kill elsewhere", 0.1, ruletest.Cgroup{}, nil, "", 0, []string{"mem/oom-kill"}},
		{"a kill in a group, outside of a container", 0.1, ruletest.Cgroup{OOMKills: 0.1}, outside, "mem/cgroup-oom", rule.Certain, nil},
		{"a kill of the host", 0.1, ruletest.Cgroup{}, outside, "mem/oom-kill", rule.Likely, nil},
		{"a kill of the host, or of a group that is gone, version 1", 0.1, ruletest.Cgroup{Change: first}, outside, "", 0, []string{"mem/oom-kill"}},
		{"a kill in a group, version 1", 0.1, ruletest.Cgroup{OOMKills: 0.1, Change: first}, outside, "mem/cgroup-oom", rule.Certain, nil},
		{"a kill of the host, or of a group that is gone, before Linux 5.2", 0.1, ruletest.Cgroup{}, before52, "", 0, []string{"mem/oom-kill"}},
		{"a kill in a group, before Linux 5.2", 0.1, ruletest.Cgroup{OOMKills: 0.1}, before52, "mem/cgroup-oom", rule.Certain, nil},
		{"an old kernel", 0, ruletest.Cgroup{Change: untold}, old, "", 0, []string{"mem/cgroup-oom", "mem/oom-kill"}},
	} {
		group := c.group
		group.Path, group.Memory, group.MemoryMax = "/", 60<<20, 64<<20
		h := ruletest.New(2, 10).VMStat(ruletest.VMStat{OOMKills: c.kills}).Cgroup(group).Manifest(func(m *recording.Manifest) {
			m.Host.Container = true
			if c.host != nil {
				c.host(m)
			}
			m.Probes = []recording.ProbeInfo{
				{Name: "host", Fills: []recording.Table{recording.VMStat}},
				{Name: "klog", Fills: []recording.Table{recording.KernelLog}, Missing: "open /dev/kmsg: operation not permitted"},
				{Name: "cgroup", Fills: []recording.Table{recording.Cgroups}},
			}
		})
		out := verdict.Judge(h.View(), rules)
		var notJudged []string
		for _, n := range out.NotJudged {
			notJudged = append(notJudged, n.Rule)
		}
		if !slices.Equal(notJudged, c.notJudged) {
			t.Errorf("%s: not judged %q, want %q", c.name, notJudged, c.notJudged)
		}
		found, sure := "", rule.Confidence(0)
		for _, f := range out.Findings {
			found, sure = strings.TrimSpace(found+" "+f.Rule), f.Confidence
		}
		if found != c.found || sure != c.sure {
			t.Errorf("%s: found %q, %s; want %q, %s", c.name, found, sure, c.found, c.sure)
		}
		if slices.Contains(out.Healthy, "memory") {
			t.Errorf("%s: memory is healthy, and nobody knows", c.name)
		}
	}
}
