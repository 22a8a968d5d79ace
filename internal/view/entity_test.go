package view

import (
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
