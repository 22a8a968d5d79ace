package mysqlconn

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// madeHost is a /proc with a server of the host's own, another one in a container,
// and a shell script that is none; and the files around them.
type madeHost struct {
	proc, socket, exe string
}

func host(t *testing.T) madeHost {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "rtrail") // names of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := madeHost{proc: filepath.Join(dir, "proc"), socket: filepath.Join(dir, "run/mysqld.sock"), exe: filepath.Join(dir, "bin/mariadbd")}
	const unixHead = "Num       RefCount Protocol Flags    Type St Inode Path\n"
	const tcpHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	file := func(path, text string) { write(t, filepath.Join(h.proc, path), text) }
	write(t, h.exe, "an executable")
	if err := os.MkdirAll(filepath.Dir(h.socket), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", h.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	h.link(t, "self/ns/net", "net:[1]")
	h.link(t, "self/ns/mnt", "mnt:[1]")
	h.link(t, "self/ns/user", "user:[1]")
	h.link(t, "self/root", "/")
	file("7/comm", "mysqld_safe\n")

	h.server(t, 10)
	h.link(t, "10/fd/20", "socket:[500]")
	h.link(t, "10/fd/21", "socket:[501]")
	h.link(t, "10/fd/22", "/var/lib/mysql/ibdata1")
	file("10/net/unix", unixHead+"0000: 00000002 00000000 00010000 0001 01 501 "+h.socket+"\n0000: 00000002 00000000 00010000 0001 01 900 /run/other.sock\n")
	file("10/net/tcp", tcpHead+"   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 500 1\n"+
		"   1: 0100007F:0CEA 0100007F:9000 01 00000000:00000000 00:00000000 00000000     0        0 777 1\n")

	h.server(t, 20)
	file("20/comm", "mysqld\n")
	h.link(t, "20/ns/net", "net:[2]")
	h.link(t, "20/ns/mnt", "mnt:[2]")
	h.link(t, "20/root", h.proc)
	h.link(t, "20/fd/20", "socket:[600]")
	h.link(t, "20/fd/21", "socket:[601]")
	h.link(t, "20/fd/22", "socket:[602]")
	file("20/net/unix", unixHead+"0000: 00000002 00000000 00010000 0001 01 602 /var/run/mysqld/mysqlx.sock\n0000: 00000002 00000000 00010000 0001 01 601 /var/run/mysqld/mysqld.sock\n")
	file("20/net/tcp6", tcpHead+"   0: 00000000000000000000000000000000:0CEA 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 600 1\n")
	file("20/net/fib_trie", "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 172.17.0.0\n        /16 link UNICAST\n     |-- 172.17.0.2\n        /32 host LOCAL\n")
	return h
}

// link makes a link below /proc, or another one of it.
func (h madeHost) link(t *testing.T, path, to string) {
	t.Helper()
	path = filepath.Join(h.proc, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(path)
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// server makes a process of the host's own, of the user who runs the test.
func (h madeHost) server(t *testing.T, pid int) {
	t.Helper()
	dir := strconv.Itoa(pid)
	write(t, filepath.Join(h.proc, dir, "comm"), "mariadbd\n")
	h.runsAs(t, pid, os.Geteuid())
	for path, to := range map[string]string{"ns/net": "net:[1]", "ns/mnt": "mnt:[1]", "ns/user": "user:[1]", "root": "/", "exe": h.exe} {
		h.link(t, filepath.Join(dir, path), to)
	}
}

func (h madeHost) runsAs(t *testing.T, pid, uid int) {
	t.Helper()
	write(t, filepath.Join(h.proc, strconv.Itoa(pid), "status"), fmt.Sprintf("Name:\tmariadbd\nUid:\t%d\t%[1]d\t%[1]d\t%[1]d\nGid:\t5\t5\t5\t5\n", uid))
}

func TestLocals(t *testing.T) {
	type seen struct {
		PID     int32
		Comm    string
		Sockets []string
		Listens []string
	}
	var got []seen
	h := host(t)
	for _, l := range Locals(t.Context(), h.proc) {
		s := seen{l.PID, l.Comm, l.Sockets, nil}
		for _, a := range l.Listens {
			s.Listens = append(s.Listens, a.String())
		}
		got = append(got, s)
	}
	want := []seen{
		{10, "mariadbd", []string{h.socket}, []string{"127.0.0.1:3306"}},
		{20, "mysqld", []string{"/var/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqlx.sock"}, []string{"[::]:3306"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestManyStrangers: anybody can start processes that are called as servers are.
func TestManyStrangers(t *testing.T) {
	h := host(t)
	for pid := 100; pid < 100+2*maxLocals; pid++ {
		write(t, filepath.Join(h.proc, strconv.Itoa(pid), "comm"), "mysqld\n")
		h.runsAs(t, pid, 4711)
	}
	h.server(t, 999)
	h.link(t, "999/fd/3", "socket:[700]")
	write(t, filepath.Join(h.proc, "999/net/unix"), "0000: 00000002 00000000 00010000 0001 01 700 /run/genuine.sock\n")
	list := Locals(t.Context(), h.proc)
	if n := len(list); n != maxLocals {
		t.Fatalf("%d servers, want %d", n, maxLocals)
	}
	if last := list[maxLocals-1]; last.PID != 999 || !slices.Equal(last.Sockets, []string{"/run/genuine.sock"}) {
		t.Errorf("the host's own server is not found: %+v", last)
	}
	if all := othersBudget.among(maxLocals); all.descriptors*maxLocals > othersBudget.descriptors || all.table*maxLocals > othersBudget.table {
		t.Errorf("each gets %+v of %+v", all, othersBudget)
	}
	if one := ownBudget.among(1); one != (budget{ownBudget.descriptors, maxTable}) {
		t.Errorf("the only server gets %+v", one)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if n := len(Locals(ended, h.proc)); n != 0 {
		t.Errorf("%d servers after the end", n)
	}
}

// TestBudget reads a part of what a process has.
func TestBudget(t *testing.T) {
	h := host(t)
	const sockets, files = 600, 1
	for i := range sockets - 2 { // it has two already
		h.link(t, fmt.Sprintf("10/fd/%d", 1000+i), fmt.Sprintf("socket:[%d]", 1000+i))
	}
	l := Local{dir: filepath.Join(h.proc, "10"), proc: h.proc}
	for _, most := range []int{0, 1, 255, 256, 257, 512, sockets + files, 2 * sockets} {
		n := len(l.openSockets(t.Context(), most))
		if want := min(most, sockets); n > want || n < want-files {
			t.Errorf("%d sockets of %d descriptors", n, most)
		}
	}
	path := write(t, filepath.Join(t.TempDir(), "table"), "one 123\ntwo 456\n")
	for most, want := range map[int64]string{0: "", 7: "", 8: "one 123", 14: "one 123", 15: "one 123", 16: "one 123|two 456", maxTable: "one 123|two 456"} {
		var got []string
		eachLine(t.Context(), path, most, func(line string) { got = append(got, line) })
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%d bytes: %q, want %q", most, s, want)
		}
	}
}

// TestHasAll: a program that runs as root for somebody is no server of root.
func TestHasAll(t *testing.T) {
	a := accounts{0, 27}
	for _, x := range []struct {
		ids  []uint32
		want bool
	}{
		{[]uint32{0, 0, 0, 0}, true},
		{[]uint32{0, 27, 27, 27}, true},
		{[]uint32{4711, 0, 0, 0}, false},
		{[]uint32{nobody}, false},
	} {
		if got := a.hasAll(x.ids); got != x.want {
			t.Errorf("%v: %v", x.ids, got)
		}
	}
}

func TestServerAt(t *testing.T) {
	proc := host(t).proc
	for to, want := range map[string]int32{"127.0.0.1:3306": 10, "127.0.0.1:3307": 0, "172.17.0.2:3306": 20, "172.17.0.0:3306": 0, "10.0.0.1:3306": 0} {
		if got := ServerAt(t.Context(), netip.MustParseAddrPort(to), proc); got != want {
			t.Errorf("%s: PID %d, want %d", to, got, want)
		}
	}
}

func TestDiscover(t *testing.T) {
	made := host(t)
	proc := made.proc
	names := func(h Here) (list []string, hidden int) {
		targets, not := Discover(t.Context(), h)
		for _, x := range targets {
			if !x.Found {
				t.Errorf("%s does not say that it was found", x.Name)
			}
			if told := x.ClientUser != ""; told != (x.User == "debian-sys-maint") && x.User != "root" {
				t.Errorf("%s: the mysql client is told to log in as %q", x.User, x.ClientUser)
			}
			if x.Network == "unix" && (x.Trust.pid != 10 || x.Trust.accounts == nil) {
				t.Errorf("%s: whoever answers is trusted: %+v", x.Name, x.Trust)
			}
			list = append(list, x.User+"@"+x.Name+" "+x.From)
		}
		return list, len(not)
	}
	debian := write(t, filepath.Join(t.TempDir(), "debian.cnf"), "[client]\nuser=debian-sys-maint\npassword=x\n")
	tests := []struct {
		name   string
		here   Here
		want   []string
		hidden int
	}{
		{"root", Here{Proc: proc, Files: &OptionFiles{}}, []string{"root@" + made.socket + " root through the socket"}, 1},
		{"anybody", Here{Proc: proc, UID: 1000, Files: &OptionFiles{}}, nil, 2},
		{"anybody with a file", Here{Proc: proc, UID: 1000, Files: &OptionFiles{Client: ClientOptions{User: "app", Password: "x", PasswordFrom: "~/.my.cnf"}}},
			[]string{"app@" + made.socket + " ~/.my.cnf"}, 1},
		{"anybody with a place", Here{Proc: proc, UID: 1000, Files: &OptionFiles{Places: true, Client: ClientOptions{Host: "127.0.0.1", Port: 3309}}},
			[]string{currentUser() + "@127.0.0.1:3309 " + NoPassword}, 2},
		{"anybody with a place elsewhere", Here{Proc: proc, UID: 1000, Files: &OptionFiles{Places: true, Client: ClientOptions{Host: "db.example.net"}}}, nil, 2},
		{"those named", Here{Proc: proc, Named: []int32{10}, Files: &OptionFiles{}}, []string{"root@" + made.socket + " root through the socket"}, 0},
		{"none named", Here{Proc: proc, Named: []int32{}, Files: &OptionFiles{}}, nil, 0},
		{"named by mistake", Here{Proc: proc, Named: []int32{1, 999999}, Files: &OptionFiles{}}, nil, 0},
		{"Debian's file", Here{Proc: proc, Debian: debian, Files: &OptionFiles{}}, []string{"debian-sys-maint@" + made.socket + " " + debian}, 1},
	}
	for _, test := range tests {
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
