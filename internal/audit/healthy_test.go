package audit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/audit"
	"rtrail/internal/probe/netproc"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// untouched is a host of 16 GB with the settings of a file, and what a server has that was
// just installed: a listener for ssh, a resolver, a web server, a database of the usual
// size, swap, and services in groups without limits.
func untouched(t *testing.T, file string) *ruletest.Host {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const memory = 16_911_433_728
	h := ruletest.New(4, 10).Memory(memory, memory*3/4, 0).Swap("/dev/sda2", 2*gib, 0, 0)
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 1, Own: true})
	values := map[string]string{}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if _, again := values[name]; !again {
			names = append(names, name)
		}
		values[name] = value
	}
	for _, name := range names {
		row := recording.SysctlSample{At: ruletest.Start, Name: name, Value: values[name]}
		if slices.Contains(netproc.Sysctls, name) {
			row.NetNS = 1
		}
		ruletest.Add(h, row)
	}
	h.Manifest(func(m *recording.Manifest) {
		m.Host.MemoryBytes = memory
		if _, kernel, ok := strings.Cut(string(text), "(Linux "); ok {
			m.Host.Kernel, _, _ = strings.Cut(kernel, ")")
			m.Host.Kernel += ".0"
		}
	})
	device(h, recording.NetDeviceSample{Interface: "lo", MTU: 65536, Kind: "other"})
	serve(h, "sshd", 22, 128, "/system.slice/ssh.service")
	serve(h, "systemd-resolve", 53, 4096, "/system.slice/systemd-resolved.service")
	serve(h, "nginx", 80, 511, "/system.slice/nginx.service")
	serve(h, "mysqld", 3306, 151, "/system.slice/mysql.service")
	h.Process(ruletest.Process{PID: 900, Comm: "mysqld", Anon: gib, Cgroup: "/system.slice/mysql.service"})
	for _, pid := range []int32{122, 153, 180, 3406} {
		ruletest.Add(h, recording.LimitSample{At: ruletest.Start, PID: pid, Files: 60, FilesSoft: 1024, FilesHard: 524_288})
	}
	for _, group := range []string{"/", "/init.scope", "/system.slice", "/system.slice/nginx.service", "/user.slice"} {
		h.Cgroup(ruletest.Cgroup{Path: group, Memory: gib / 8})
	}
	return h
}

// onMachine adds the hardware of a host: a card whose queues may interrupt any CPU, and a
// bridge for containers, with a pair into one.
func onMachine(h *ruletest.Host) {
	card(h, "0-3", "0-3", "0")
	device(h, recording.NetDeviceSample{Interface: "eth0", MTU: 1500, Physical: true, Index: 2})
	device(h, recording.NetDeviceSample{Interface: "docker0", MTU: 1500, Kind: "bridge", Index: 3})
	device(h, recording.NetDeviceSample{Interface: "veth1a2b", MTU: 1500, Kind: "veth", Index: 5, Link: 2, Master: "docker0"})
	device(h, recording.NetDeviceSample{NetNS: 2, Interface: "eth0", MTU: 1500, Kind: "veth", Index: 2, Link: 5})
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 2})
	ruletest.Add(h, recording.ConntrackSample{At: ruletest.Start, NetNS: 1, Count: 4000, Max: 262_144, Buckets: 262_144})
}

// TestHealthyHostHasNoRemark looks at hosts whose settings nobody has touched.
func TestHealthyHostHasNoRemark(t *testing.T) {
	for _, c := range []struct {
		file   string
		has    func(*ruletest.Host)
		judged int // checks that must have had something to judge
	}{
		{"debian-12.conf", onMachine, 18},
		{"ubuntu-24.04.conf", onMachine, 17},
		{"rhel-9.conf", func(h *ruletest.Host) { onMachine(h); twoNodes(h) }, 20},
		{"rhel-9-dirty-bytes.conf", func(h *ruletest.Host) { onMachine(h); twoNodes(h) }, 20},
		{"rhel-9-guest.conf", onMachine, 17},
		// Of a container: a quarter of the host's memory, half a CPU, and a network whose
		// other end is not seen.
		{"container.conf", func(h *ruletest.Host) {
			device(h, recording.NetDeviceSample{Interface: "eth0", MTU: 1450, Kind: "veth", Index: 2, Link: 7})
			h.Cgroup(ruletest.Cgroup{Path: "/", Memory: gib, MemoryMax: 4 * gib, Quota: 50 * time.Millisecond})
			h.Process(ruletest.Process{Comm: "java", Cmdline: "java -XX:MaxRAMPercentage=75.0 -jar app.jar", Anon: gib, MemCgroup: "/"})
		}, 15},
	} {
		t.Run(strings.TrimSuffix(c.file, ".conf"), func(t *testing.T) {
			h := untouched(t, filepath.Join("testdata", "untouched", c.file))
			c.has(h)
			r := audit.Of(h.View())
			for _, m := range r.Remarks {
				t.Errorf("%s: %v", m.Check.ID, m.Words)
			}
			if len(r.Fine) < c.judged {
				var absent []string
				for _, a := range r.Absent {
					absent = append(absent, a.ID)
				}
				t.Errorf("only %d checks had something to judge; these had not: %q", len(r.Fine), absent)
			}
			if len(r.Failed) > 0 {
				t.Errorf("%q", r.Failed)
			}
		})
	}
}
