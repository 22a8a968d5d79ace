package imported

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
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
var levels = map[string]bool{"proc/zombies": true, "proc/pid-limit": true, "net/conntrack-full": true, "disk/full": true, "disk/inodes-full": true,
	"proc/fd-limit": true, "mem/cgroup-near-limit": true}

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

// levelled is a copy of /proc with files that tell of limits: of the open files of a process and of the
// host, of its memory and swap in kB, and of the memory of a group in bytes; -1: not told.
func levelled(t *testing.T, after, open, hostOpen, available, swapFree int, group map[string]string) []byte {
	where := fmt.Sprintf("%d/", after)
	list := copyOf(where, after)
	at := list[0].at
	for i := range list {
		if strings.HasSuffix(list[i].name, "proc/meminfo") {
			list[i].content = fmt.Sprintf("MemTotal: 1000000 kB\nMemFree: 5000 kB\nMemAvailable: %d kB\nSwapTotal: 100000 kB\nSwapFree: %d kB\n", available, swapFree)
		}
	}
	list = append(list, entry{where + "proc/77/limits", "Limit                     Soft Limit           Hard Limit           Units     \nMax processes             1000                 1000                 processes \nMax open files            100                  4096                 files     \n", at},
		entry{where + "proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 1\n", at}, entry{where + "proc/2/limits", "Max open files            1                 1                 files     \n", at})
	if hostOpen >= 0 {
		list = append(list, entry{where + "proc/sys/fs/file-nr", fmt.Sprintf("%d\t0\t10000\n", hostOpen), at})
	}
	for name, content := range group {
		list = append(list, entry{where + "sys/fs/cgroup/" + name, content, at})
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for fd := range max(open, 0) {
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%sproc/77/fd/%d", where, fd), Linkname: "socket:[1]", Typeflag: tar.TypeSymlink}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), archive(t, list...)...)
}

// One copy shows open files, memory and swap, and control groups near their limits.
func TestOneCopyOfLimits(t *testing.T) {
	group := func(use, limit, anon string) map[string]string {
		return map[string]string{"system.slice/db.service/memory.current": use + "\n", "system.slice/db.service/memory.max": limit + "\n", "system.slice/db.service/memory.stat": "anon " + anon + "\nfile 1000\ninactive_file 500\n",
			"system.slice/memory.current": "100000000\n", "system.slice/memory.max": "max\n", "system.slice/memory.stat": "anon 90000000\nfile 1000\ninactive_file 500\n"}
	}
	old := map[string]string{"memory/docker/x/memory.usage_in_bytes": "99000000\n", "memory/docker/x/memory.limit_in_bytes": "100000000\n",
		"memory/docker/x/memory.stat": "rss 1\ntotal_rss 95000000\ntotal_cache 10\ntotal_inactive_file 10\n"}
	for _, tc := range []struct {
		name                                string
		open, hostOpen, available, swapFree int
		group                               map[string]string
		want, says                          string // rule and words; "": none
		unknown                             []string
	}{
		{"healthy", 50, 100, 500_000, 100_000, group("50000000", "100000000", "40000000"), "", "", nil},
		{"descriptors of one process", 95, 100, 500_000, 100_000, nil, "proc/fd-limit", "burn (77) is near its limit of 100 file descriptors", nil},
		{"all of them", 100, 100, 500_000, 100_000, nil, "proc/fd-limit", "near its limit", nil},
		{"nobody saw descriptors", -1, 100, 500_000, 100_000, nil, "", "", []string{"proc/fd-limit"}},
		{"descriptors of the host", 5, 9_900, 500_000, 100_000, nil, "proc/fd-limit", "the host has used up its 10,000 open files", nil},
		{"memory, with swap left", 5, 100, 20_000, 100_000, nil, "", "", nil},
		{"memory and swap", 5, 100, 20_000, 10_000, nil, "mem/cgroup-near-limit", "of memory left, and 9.77 MiB of swap", nil},
		{"swap, with memory left", 5, 100, 500_000, 0, nil, "", "", nil},
		{"a group", 5, 100, 500_000, 100_000, group("98000000", "100000000", "97000000"), "mem/cgroup-near-limit", "/system.slice/db.service uses", nil},
		{"a group full of page cache", 5, 100, 500_000, 100_000, group("98000000", "100000000", "10000000"), "", "", nil},
		{"a group of version 1", 5, 100, 500_000, 100_000, old, "mem/cgroup-near-limit", "/docker/x uses", nil},
	} {
		v := text(t, string(levelled(t, 100, tc.open, tc.hostOpen, tc.available, tc.swapFree, tc.group)))
		found := judgeOnce(t, tc.name, v)
		out := verdict.Judge(v, catalogue.For(v.Manifest()))
		if tc.want == "" && len(found) > 0 || tc.want != "" && (len(found) != 1 || !found[tc.want]) {
			t.Errorf("%s: found %v, want %q", tc.name, found, tc.want)
		}
		for _, f := range out.Findings {
			if !strings.Contains(f.Headline.String(), tc.says) {
				t.Errorf("%s: %s; want %q", tc.name, f.Headline, tc.says)
			}
		}
		for _, id := range []string{"proc/fd-limit", "mem/cgroup-near-limit"} {
			if notJudged(out, id) != slices.Contains(tc.unknown, id) {
				t.Errorf("%s: %s not judged: %v", tc.name, id, notJudged(out, id))
			}
		}
	}
}

// Of two copies limits of processes are judged as on a watched host; groups of which memory alone is
// told are judged by that alone, and the memory of the host by what waits for it.
func TestTwoCopiesOfLimits(t *testing.T) {
	group := map[string]string{"db/memory.current": "98000000\n", "db/memory.max": "100000000\n", "db/memory.stat": "anon 97000000\nfile 1000\ninactive_file 500\n"}
	first, second := levelled(t, 100, 100, 100, 20_000, 10_000, group), levelled(t, 110, 100, 100, 20_000, 10_000, group)
	v := view.New(readAll(t, []string{write(t, string(first)), write(t, string(second))}))
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	var found []string
	for _, f := range out.Findings {
		found = append(found, fmt.Sprintf("%s %s %s", f.Confidence, f.Rule, f.Headline))
	}
	all := strings.Join(found, "\n")
	if !strings.Contains(all, "likely proc/fd-limit burn (77) has used up its 100 file descriptors") || !strings.Contains(all, "possible mem/cgroup-near-limit /db uses") || strings.Contains(all, "of memory left") {
		t.Error(all)
	}
	for _, id := range []string{"cpu/throttled", "mem/cgroup-oom", "disk/cgroup-throttled", "mem/leak"} {
		if !notJudged(out, id) {
			t.Errorf("%s was judged", id)
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
