package imported

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// looked is a copy of /proc of a host with some zombies of one parent, tasks and connections.
func looked(zombies, tasks, connections, after int) []entry {
	where := fmt.Sprintf("%d/", after)
	list := copyOf(where, after)
	at := list[0].at
	add := func(name, content string) { list = append(list, entry{where + "proc/" + name, content, at}) }
	add("loadavg", fmt.Sprintf("0.50 0.40 0.30 2/%d 4711\n", tasks))
	add("sys/kernel/threads-max", "30000\n")
	add("sys/kernel/pid_max", "4194304\n")
	add("sys/net/netfilter/nf_conntrack_max", "65536\n")
	add("net/stat/nf_conntrack", fmt.Sprintf("entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart\n"+
		"%08x  00000000 00000002 00000000 00000001 00000000 00000000 00000000 00000010 00000003 0000000a 00000004 00000000  00000000 00000000 00000000 00000000\n", connections))
	add("net/snmp", fmt.Sprintf("Tcp: OutSegs RetransSegs\nTcp: %d %d\n", after*1000, after*50))
	add("net/netstat", "TcpExt: TCPSynRetrans TCPTimeouts TCPDSACKRecv\nTcpExt: 5 6 7\n")
	add("50/stat", "50 (parent) S 1 50 50 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 1000 10 1\n")
	for i := range zombies {
		add(fmt.Sprintf("%d/stat", 1000+i), fmt.Sprintf("%d (child) Z 50 50 50 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 0 0 1\n", 1000+i))
	}
	return list
}

// levels are the rules that one look is enough for.
var levels = map[string]bool{"proc/zombies": true, "proc/pid-limit": true, "net/conntrack-full": true, "disk/full": true, "disk/inodes-full": true}

// judgeOnce judges one look, and holds the verdict to what is honest then: nothing is sure, nothing
// is healthy, and what needs two looks says so.
func judgeOnce(t *testing.T, name string, v *view.View) (found map[string]bool) {
	t.Helper()
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	if v.Seconds() != 0 || len(out.Healthy) > 0 {
		t.Errorf("%s: %v s, healthy %q", name, v.Seconds(), out.Healthy)
	}
	found = map[string]bool{}
	for _, f := range out.Findings {
		if found[f.Rule] = true; f.Confidence != rule.Possible {
			t.Errorf("%s: %s: %s", name, f.Confidence, f.Headline)
		}
	}
	why := false
	for _, n := range out.NotJudged {
		why = why || n.Needs == "two looks at the host" && n.Rule == "cpu/steal"
	}
	for _, r := range catalogue.For(v.Manifest()) {
		if !levels[r.ID] && !notJudged(out, r.ID) {
			t.Errorf("%s: %s was judged by one look", name, r.ID)
		}
	}
	if !why {
		t.Errorf("%s: nothing says that cpu/steal needs two looks: %+v", name, out.NotJudged)
	}
	return found
}

func TestOneCopy(t *testing.T) {
	for _, tc := range []struct {
		name                        string
		zombies, tasks, connections int
		want                        []string
	}{
		{"healthy", 0, 300, 100, nil},
		{"some zombies", 4, 300, 100, nil},
		{"zombies", 200, 500, 100, []string{"proc/zombies"}},
		{"tasks", 0, 29_000, 100, []string{"proc/pid-limit"}},
		{"connections", 0, 300, 64_000, []string{"net/conntrack-full"}},
	} {
		v := text(t, string(archive(t, looked(tc.zombies, tc.tasks, tc.connections, 100)...)))
		found := judgeOnce(t, tc.name, v)
		for _, id := range tc.want {
			if !found[id] {
				t.Errorf("%s: %s was not found", tc.name, id)
			}
		}
		if len(found) != len(tc.want) {
			t.Errorf("%s: found %v, want %q", tc.name, found, tc.want)
		}
		if notes := strings.Join(v.Manifest().Notes, "\n"); !strings.Contains(notes, "levels are judged, and no rates") {
			t.Error(notes)
		}
	}
}

// One answer of node_exporter shows a full filesystem.
func TestOneAnswer(t *testing.T) {
	one := func(changed map[string]*[2]float64) string {
		first, _, _ := strings.Cut(exporterTells(changed), "# HELP node_time_seconds System time in seconds since epoch (1970).\n# TYPE node_time_seconds gauge\nnode_time_seconds 1767322815\n")
		return first
	}
	if found := judgeOnce(t, "healthy", text(t, one(nil))); len(found) > 0 {
		t.Errorf("%v", found)
	}
	found := judgeOnce(t, "full", text(t, one(map[string]*[2]float64{"node_filesystem_avail_bytes" + root: {0, 0}, "node_filesystem_files_free" + root: {0, 0}})))
	if !found["disk/full"] || !found["disk/inodes-full"] || len(found) != 2 {
		t.Errorf("%v", found)
	}
}

// Two copies tell what went through the network, and what the settings are.
func TestCopiesOfTheNetwork(t *testing.T) {
	v := text(t, string(archive(t, append(looked(20, 300, 100, 100), looked(20, 300, 100, 110)...)...)))
	if v.Seconds() != 10 {
		t.Errorf("%v s", v.Seconds())
	}
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	found := map[string]rule.Confidence{}
	for _, f := range out.Findings {
		found[f.Rule] = f.Confidence
	}
	if found["net/packet-loss"] != rule.Likely || found["proc/zombies"] == 0 || notJudged(out, "net/conntrack-full") || notJudged(out, "proc/pid-limit") {
		t.Errorf("%v, not judged: %+v", found, out.NotJudged)
	}
	if n, ok := v.SysctlNumber(0, "kernel.threads-max"); !ok || n != 30000 {
		t.Errorf("threads-max %d", n)
	}
	if s, ok := v.Scheduler(); !ok || s.Load1 != 0.5 {
		t.Errorf("%+v", s)
	}
	about(t, "time of the first", float64(v.Start().Unix()), float64(time.Unix(1767322900, 0).Unix()), 0)
}

// A file of counters of a stranger makes no more rows than copies have.
func TestManyNumbers(t *testing.T) {
	words := strings.Repeat("1 ", maxWords/2+1)
	list := append(copyOf("", 100), entry{"proc/net/snmp", "Tcp: " + words + "\nTcp: " + words + "\n", copyOf("", 100)[0].at})
	if _, _, err := Read(t.Context(), []string{write(t, string(archive(t, list...)))}); err == nil || !strings.Contains(err.Error(), "numbers") {
		t.Error(err)
	}
}
