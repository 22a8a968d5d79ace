package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestSameEntity(t *testing.T) {
	began := time.Unix(1, 0)
	process := Entity{Kind: KindProcess, Name: "nginx", PID: 812, Started: began}
	for name, c := range map[string]struct {
		a, b Entity
		same bool
	}{
		"a process and its listener": {process, Entity{Kind: KindListener, Name: "nginx", Port: 80, PID: 812, Started: began}, true},
		"two listeners of a process": {Entity{Kind: KindListener, Port: 80, PID: 812, Started: began}, Entity{Kind: KindListener, Port: 443, PID: 812, Started: began}, true},
		"a number used again":        {process, Entity{Kind: KindProcess, Name: "nginx", PID: 812, Started: began.Add(time.Second)}, false},
		"a service by two names": {Entity{Kind: KindService, Name: "mysql 10.0.0.2:3306", Address: "10.0.0.2", Port: 3306},
			Entity{Kind: KindService, Name: "10.0.0.2:3306", Address: "10.0.0.2", Port: 3306}, true},
		"two ports":                                 {Entity{Kind: KindService, Name: "x", Address: "10.0.0.2", Port: 3306}, Entity{Kind: KindService, Name: "x", Address: "10.0.0.2", Port: 3307}, false},
		"an address, seen from two namespaces":      {Entity{Kind: KindPeer, Name: "10.0.0.7", NetNS: 1}, Entity{Kind: KindPeer, Name: "10.0.0.7", NetNS: 2}, true},
		"an address that each namespace has itself": {Entity{Kind: KindPeer, Name: "127.0.0.1", NetNS: 1}, Entity{Kind: KindPeer, Name: "127.0.0.1", NetNS: 2}, false},
		"interfaces of one name":                    {InterfaceEntity("eth0", 1), InterfaceEntity("eth0", 2), false},
		"mount points of one name":                  {Entity{Kind: KindFilesystem, Name: "/data", Place: "/dev/vdb"}, Entity{Kind: KindFilesystem, Name: "/data", Place: "/dev/vdc"}, false},
		"a device with its folder":                  {DeviceEntity("vda"), DeviceEntity("/dev/vda"), true},
		"kinds of one name":                         {Entity{Kind: KindProcess, Name: "x"}, Entity{Kind: KindCgroup, Name: "x"}, false},
	} {
		if c.a.Same(c.b) != c.same || c.b.Same(c.a) != c.same {
			t.Errorf("%s: same is not %v", name, c.same)
		}
	}
}

func TestKeysOutlivePIDs(t *testing.T) {
	v := New(recording.New(recording.Manifest{Host: recording.Host{Name: "db1"}}), time.Time{}, time.Time{})
	for want, list := range map[string][]Entity{
		"db1/process/mysqld in mariadb.service": {
			{Kind: KindProcess, Name: "mysqld", PID: 1, Started: time.Unix(1, 0), Cgroup: "/system.slice/mariadb.service"},
			{Kind: KindProcess, Name: "mysqld", PID: 2, Started: time.Unix(9, 0), Cgroup: "/system.slice/mariadb.service"}},
		"db1/process/vi":                        {{Kind: KindProcess, Name: "vi", PID: 1, Cgroup: "/user.slice/user-0.slice/session-3.scope"}, {Kind: KindProcess, Name: "vi", PID: 7, Cgroup: "/user.slice/user-0.slice/session-4.scope"}},
		"db1/listener/nginx:80":                 {{Kind: KindListener, Name: "nginx", Port: 80, PID: 1}, {Kind: KindListener, Name: "nginx", Port: 80}},
		"/service/mysql 10.0.0.2:3306":          {{Kind: KindService, Name: "mysql 10.0.0.2:3306"}},
		"/peer/10.0.0.7":                        {{Kind: KindPeer, Name: "10.0.0.7", NetNS: 4}},
		"db1/device/vda":                        {DeviceEntity("/dev/vda")},
		"/statement/mysql 10.0.0.2:3306 SELECT": {{Kind: KindStatement, Name: "SELECT", Detail: "mysql 10.0.0.2:3306"}},
	} {
		for _, e := range list {
			if got := v.KeyOf(e).String(); got != want {
				t.Errorf("key of %+v is %q, want %q", e, got, want)
			}
		}
	}
}

// Interfaces of one name in several network namespaces have several keys, which outlive the
// namespaces' numbers and the processes in them.
func TestKeysOfNamespaces(t *testing.T) {
	at := time.Unix(100, 0)
	pod := "/kubepods.slice/kubepods-pod9f3c1a52_1111_2222_3333_444455556666.slice/cri-containerd-" + strings.Repeat("3f2a91c04b7d4e55", 4) + ".scope"
	// boot is the same host with other numbers.
	boot := func(add uint64) *View {
		rec := recording.New(recording.Manifest{Host: recording.Host{Name: "db1", NetNS: 1}})
		w := recording.NewWriter(at)
		recording.Append(w, recording.NetNSSample{At: at, NetNS: 1, Own: true, PID: 1, Comm: "systemd"})
		for i, n := range []recording.NetNSSample{{Name: "blue"}, {PID: 10, Comm: "pause"}, {PID: 11, Comm: "web"}, {PID: 12, Comm: "job"}, {PID: 13, Comm: "job"}, {}} {
			n.At, n.NetNS = at, add+uint64(i)
			if n.PID != 0 {
				n.PID += int32(add)
				p := recording.ProcessSample{At: at, PID: n.PID, Started: at.Add(-time.Minute), Comm: n.Comm, Cgroup: "/user.slice/user-0.slice/session-3.scope"}
				if n.Comm == "pause" {
					p.Cgroup = pod
				}
				recording.Append(w, p)
			}
			recording.Append(w, n)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		return New(rec, at, at.Add(time.Second))
	}
	for i, add := range []uint64{100, 200} {
		v := boot(add)
		seen := map[string]bool{}
		for ns, want := range map[uint64]string{0: "db1/interface/eth0", 1: "db1/interface/eth0", add: "db1/interface/eth0 in blue", add + 1: "db1/interface/eth0 in pod 9f3c1a52 container 3f2a91c04b7d",
			add + 2: "db1/interface/eth0 in web", add + 3: fmt.Sprintf("db1/interface/eth0 in job net:[%d]", add+3), add + 4: fmt.Sprintf("db1/interface/eth0 in job net:[%d]", add+4),
			add + 5: fmt.Sprintf("db1/interface/eth0 in net:[%d]", add+5)} {
			got := v.KeyOf(InterfaceEntity("eth0", ns)).String()
			if got != want || ns > 1 && seen[got] {
				t.Errorf("boot %d: the key in namespace %d is %q, want %q", i, ns, got, want)
			}
			seen[got] = true
		}
		if got := v.KeyOf(v.NetNSEntity(add + 2)).String(); got != "db1/netns/web" {
			t.Errorf("boot %d: the key of a namespace is %q", i, got)
		}
		if got := v.KeyOf(Entity{Kind: KindRule, Name: "INPUT rule 3" + v.InNetNS(add+2), NetNS: add + 2}).String(); got != "db1/firewall-rule/INPUT rule 3 in web" {
			t.Errorf("boot %d: the key of a rule is %q", i, got)
		}
	}
	v := boot(100)
	if a, b := v.KeyOf(Entity{Kind: KindFilesystem, Name: "/data"}), v.KeyOf(Entity{Kind: KindFilesystem, Name: "/data", Place: "/dev/vdb"}); a == b || b.Name != "/data on /dev/vdb" {
		t.Errorf("filesystems %v and %v", a, b)
	}
}
