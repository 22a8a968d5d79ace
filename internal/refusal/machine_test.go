package refusal

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe/netproc"
	"rtrail/internal/recording"
)

// Every counter of the kernel that runs this test is in a table. Files that this
// kernel or container does not have are left out.
func TestEveryCounterOfThisMachineIsKnown(t *testing.T) {
	var rows []recording.ProtocolSample
	var p netproc.Parser
	for file, parse := range map[string]func([]byte) ([]recording.ProtocolSample, error){
		"snmp":      func(b []byte) ([]recording.ProtocolSample, error) { return p.Table(nil, time.Time{}, 1, b) },
		"netstat":   func(b []byte) ([]recording.ProtocolSample, error) { return p.Table(nil, time.Time{}, 1, b) },
		"snmp6":     func(b []byte) ([]recording.ProtocolSample, error) { return p.SNMP6(nil, time.Time{}, 1, b) },
		"sockstat":  func(b []byte) ([]recording.ProtocolSample, error) { return p.Sockstat(nil, time.Time{}, 1, b) },
		"sockstat6": func(b []byte) ([]recording.ProtocolSample, error) { return p.Sockstat(nil, time.Time{}, 1, b) },
	} {
		if b, ok := readable(t, "/proc/net/"+file); ok {
			list, err := parse(b)
			if err != nil || len(list) == 0 {
				t.Errorf("%s: %d counters, %v", file, len(list), err)
			}
			rows = append(rows, list...)
		}
	}
	for _, r := range rows {
		check(t, &protocols, r.Protocol+r.Name, "snmp, netstat, snmp6 or sockstat")
	}
	for _, file := range []string{"xfrm_stat", "tls_stat", "sctp/snmp"} {
		for _, name := range firstWords(t, "/proc/net/"+file) {
			check(t, &protocols, name, file)
		}
	}
	for file, protocol := range map[string]string{"arp_cache": "ArpCache", "ndisc_cache": "NdiscCache", "rt_cache": "RtCache", "synproxy": "Synproxy", "nf_conntrack": ""} {
		b, _ := readable(t, "/proc/net/stat/"+file)
		head, _, _ := strings.Cut(string(b), "\n")
		for _, name := range strings.Fields(head) {
			if protocol == "" {
				check(t, &conntrack, name, file)
			} else {
				check(t, &protocols, protocol+name, file)
			}
		}
	}
	for _, name := range firstWords(t, "/proc/vmstat") {
		check(t, &memory, name, "vmstat")
	}
	if b, ok := readable(t, "/proc/net/softnet_stat"); ok {
		line, _, _ := strings.Cut(string(b), "\n")
		if n := len(strings.Fields(line)); n > len(softnetColumns) {
			t.Errorf("softnet_stat has %d columns, the table knows %d", n, len(softnetColumns))
		}
	}
	interfaces, _ := filepath.Glob("/sys/class/net/*/statistics/*")
	for _, path := range interfaces {
		check(t, &devices, filepath.Base(path), path)
	}
	checkGroups(t)
}

// softnetColumns are the columns of softnet_stat in their order
// (net/core/net-procfs.c).
var softnetColumns = strings.Fields("processed dropped squeezed unused3 unused4 unused5 unused6 unused7 cpu_collision received_rps flow_limit backlog_length cpu input_qlen process_qlen")

func TestSoftnetColumns(t *testing.T) {
	for _, name := range softnetColumns {
		check(t, &softnet, name, "softnet_stat")
	}
}

// checkGroups looks at the files of events of some control groups, of both
// versions.
func checkGroups(t *testing.T) {
	const enough = 2000 // files
	seen := 0
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		prefix, known := groupFiles[d.Name()]
		if !known {
			// cgroup.events tells states; hugetlb and misc count the limits of resources
			// that hosts name themselves.
			if strings.HasSuffix(d.Name(), ".events") && d.Name() != "cgroup.events" && !strings.HasPrefix(d.Name(), "hugetlb.") && !strings.HasPrefix(d.Name(), "misc.") {
				t.Errorf("no table knows the events in %s", path)
			}
			return nil
		}
		for _, key := range firstWords(t, path) {
			check(t, &controlGroups, prefix+key, path)
		}
		if seen++; seen > enough {
			return fs.SkipAll
		}
		return nil
	})
}

// groupFiles says what names of counters begin with, by the file that they are in.
var groupFiles = map[string]string{
	"memory.events": "", "memory.events.local": "", "cpu.stat": "", "cpu.stat.local": "", "memory.oom_control": "",
	"memory.swap.events": "swap.", "pids.events": "pids.", "pids.events.local": "pids.",
}

func check(t *testing.T, s *source, name, file string) {
	t.Helper()
	if _, ok := s.known(name); !ok {
		t.Errorf("%s: no table has %s (%s): say what it counts, and which rule judges it", s.name, name, file)
	}
}

// firstWords are the first words of a file's lines; none if it cannot be read.
func firstWords(t *testing.T, path string) (words []string) {
	b, _ := readable(t, path)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 0 {
			words = append(words, f[0])
		}
	}
	return words
}

func readable(t *testing.T, path string) ([]byte, bool) {
	t.Helper()
	b, err := os.ReadFile(path)
	return b, err == nil
}
