package catalogue

import (
	"slices"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// Where the kernel log cannot be read, as in most containers, control groups tell of the kills
// in them. Kills for lack of memory of the host are not judged.
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
	for _, c := range []struct {
		name      string
		group     ruletest.Cgroup
		found     bool
		notJudged []string
	}{
		{"a kill", ruletest.Cgroup{OOMKills: 0.1}, true, []string{"mem/oom-kill"}},
		{"none", ruletest.Cgroup{}, false, []string{"mem/oom-kill"}},
		{"kills are not counted", ruletest.Cgroup{Change: untold}, false, []string{"mem/cgroup-oom", "mem/oom-kill"}},
	} {
		group := c.group
		group.Path, group.Memory, group.MemoryMax = "/", 60<<20, 64<<20
		h := ruletest.New(2, 10).VMStat(ruletest.VMStat{}).Cgroup(group).Manifest(func(m *recording.Manifest) {
			m.Host.Container = true
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
		if found := len(out.Findings) == 1 && out.Findings[0].Rule == "mem/cgroup-oom" && out.Findings[0].Confidence == rule.Certain; found != c.found {
			t.Errorf("%s: findings %+v", c.name, out.Findings)
		}
		if slices.Contains(out.Healthy, "memory") {
			t.Errorf("%s: memory is healthy, and nobody knows", c.name)
		}
	}
}
