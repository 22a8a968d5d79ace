package mysqlconn

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// host makes a /proc with a server in rtrail's namespaces, another one in a
// container of its own, and a shell script that is none.
func host(t *testing.T) string {
	proc := t.TempDir()
	link := func(path, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(proc, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(proc, path)); err != nil {
			t.Fatal(err)
		}
	}
	const unixHead = "Num       RefCount Protocol Flags    Type St Inode Path\n"
	const tcpHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	file := func(path, text string) { write(t, filepath.Join(proc, path), text) }
	link("self/ns/net", "net:[1]")
	link("self/root", "/")
	file("7/comm", "mysqld_safe\n")

	file("10/comm", "mariadbd\n")
	link("10/ns/net", "net:[1]")
	link("10/root", "/")
	link("10/fd/20", "socket:[500]")
	link("10/fd/21", "socket:[501]")
	link("10/fd/22", "/var/lib/mysql/ibdata1")
	file("10/net/unix", unixHead+"0000: 00000002 00000000 00010000 0001 01 501 /run/mysqld/mysqld.sock\n0000: 00000002 00000000 00010000 0001 01 900 /run/other.sock\n")
	file("10/net/tcp", tcpHead+"   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 500 1\n"+
		"   1: 0100007F:0CEA 0100007F:9000 01 00000000:00000000 00:00000000 00000000     0        0 777 1\n")

	file("20/comm", "mysqld\n")
	link("20/ns/net", "net:[2]")
	link("20/root", proc)
	link("20/fd/20", "socket:[600]")
	link("20/fd/21", "socket:[601]")
	link("20/fd/22", "socket:[602]")
	file("20/net/unix", unixHead+"0000: 00000002 00000000 00010000 0001 01 602 /var/run/mysqld/mysqlx.sock\n0000: 00000002 00000000 00010000 0001 01 601 /var/run/mysqld/mysqld.sock\n")
	file("20/net/tcp6", tcpHead+"   0: 00000000000000000000000000000000:0CEA 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 600 1\n")
	file("20/net/fib_trie", "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 172.17.0.0\n        /16 link UNICAST\n     |-- 172.17.0.2\n        /32 host LOCAL\n")
	return proc
}

func TestLocals(t *testing.T) {
	type seen struct {
		PID     int32
		Comm    string
		Sockets []string
		Listens []string
	}
	var got []seen
	for _, l := range Locals(host(t)) {
		s := seen{l.PID, l.Comm, l.Sockets, nil}
		for _, a := range l.Listens {
			s.Listens = append(s.Listens, a.String())
		}
		got = append(got, s)
	}
	want := []seen{
		{10, "mariadbd", []string{"/run/mysqld/mysqld.sock"}, []string{"127.0.0.1:3306"}},
		{20, "mysqld", []string{"/var/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqlx.sock"}, []string{"[::]:3306"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestServerAt(t *testing.T) {
	proc := host(t)
	for to, want := range map[string]int32{"127.0.0.1:3306": 10, "127.0.0.1:3307": 0, "172.17.0.2:3306": 20, "172.17.0.0:3306": 0, "10.0.0.1:3306": 0} {
		if got := ServerAt(netip.MustParseAddrPort(to), proc); got != want {
			t.Errorf("%s: PID %d, want %d", to, got, want)
		}
	}
}

func TestDiscover(t *testing.T) {
	proc := host(t)
	names := func(h Here) (list []string, hidden int) {
		targets, not := Discover(h)
		for _, x := range targets {
			if !x.Found {
				t.Errorf("%s does not say that it was found", x.Name)
			}
			if told := x.ClientUser != ""; told != (x.User == "debian-sys-maint") && x.User != "root" {
				t.Errorf("%s: the mysql client is told to log in as %q", x.User, x.ClientUser)
			}
			list = append(list, x.User+"@"+x.Name+" "+x.From)
		}
		return list, len(not)
	}
	debian := write(t, filepath.Join(t.TempDir(), "debian.cnf"), "[client]\nuser=debian-sys-maint\npassword=x\n")
	other := filepath.Join(proc, "20/root/var/run/mysqld/mysqld.sock")
	tests := []struct {
		name   string
		here   Here
		want   []string
		hidden int
	}{
		{"root", Here{Proc: proc, Files: &OptionFiles{}}, []string{"root@/run/mysqld/mysqld.sock root through the socket", "root@" + other + " root through the socket"}, 0},
		{"anybody", Here{Proc: proc, UID: 1000, Files: &OptionFiles{}}, nil, 2},
		{"anybody with a file", Here{Proc: proc, UID: 1000, Files: &OptionFiles{Client: ClientOptions{User: "app", Password: "x", PasswordFrom: "~/.my.cnf"}}},
			[]string{"app@/run/mysqld/mysqld.sock ~/.my.cnf", "app@" + other + " ~/.my.cnf"}, 0},
		{"anybody with a place", Here{Proc: proc, UID: 1000, Files: &OptionFiles{Places: true, Client: ClientOptions{Host: "127.0.0.1", Port: 3309}}},
			[]string{currentUser() + "@127.0.0.1:3309 " + NoPassword}, 2},
		{"anybody with a place elsewhere", Here{Proc: proc, UID: 1000, Files: &OptionFiles{Places: true, Client: ClientOptions{Host: "db.example.net"}}}, nil, 2},
		{"Debian's file", Here{Proc: proc, Debian: debian, Files: &OptionFiles{}},
			[]string{"debian-sys-maint@/run/mysqld/mysqld.sock " + debian, "debian-sys-maint@" + other + " " + debian}, 0},
	}
	for _, test := range tests {
		if len(other) > mostSocketPath {
			t.Skipf("the temporary folder's name is too long for a socket: %s", other)
		}
		got, hidden := names(test.here)
		if diff := cmp.Diff(test.want, got); diff != "" || hidden != test.hidden {
			t.Errorf("%s: %d hidden, want %d; -want +got:\n%s", test.name, hidden, test.hidden, diff)
		}
	}
}

func TestHexAddress(t *testing.T) {
	for in, want := range map[string]string{"0100007F:0CEA": "127.0.0.1:3306", "0000000000000000FFFF00000100007F:0CEA": "127.0.0.1:3306", "x": "", "01:1": "", "": ""} {
		got, ok := hexAddress(in)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: %v %v, want %s", in, got, ok, want)
		}
	}
}
