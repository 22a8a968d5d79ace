package mysqlconn

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/mysqlconn/mysqltest"
)

// TestStrangersAreHidden: whatever calls itself a server and is not the host's own
// is not asked, and the command that names it is told.
func TestStrangersAreHidden(t *testing.T) {
	root := os.Geteuid() == 0
	for name, x := range map[string]struct {
		do   func(*testing.T, madeHost)
		says string
	}{
		"the host's own": {func(*testing.T, madeHost) {}, ""},
		"another user":   {func(t *testing.T, h madeHost) { h.runsAs(t, 10, 4711) }, "it runs as user 4711"},
		"set user ID": {func(t *testing.T, h madeHost) {
			write(t, filepath.Join(h.proc, "10/status"), fmt.Sprintf("Uid:\t4711\t%d\t%[1]d\t%[1]d\n", os.Geteuid()))
		}, "it runs as user 4711"},
		"no status": {func(t *testing.T, h madeHost) { os.Remove(filepath.Join(h.proc, "10/status")) }, "it runs as user"},
		// As mariadb.service of Debian has it: ProtectSystem= and others give mounts of its own.
		"another mount": {func(t *testing.T, h madeHost) { h.link(t, "10/ns/mnt", "mnt:[9]") }, ""},
		"another mount, another executable": {func(t *testing.T, h madeHost) {
			h.link(t, "10/ns/mnt", "mnt:[9]")
			h.link(t, "10/exe", write(t, h.exe+" (deleted)", ""))
		}, "not the one that this host has"},
		"another root":   {func(t *testing.T, h madeHost) { h.link(t, "10/root", h.proc) }, "in a container"},
		"own users":      {func(t *testing.T, h madeHost) { h.link(t, "10/ns/user", "user:[9]") }, "in a container"},
		"no executable":  {func(t *testing.T, h madeHost) { os.Remove(filepath.Join(h.proc, "10/exe")) }, "executable cannot be seen"},
		"another name":   {func(t *testing.T, h madeHost) { h.link(t, "10/exe", write(t, h.exe+"-x", "")) }, "executable is called"},
		"open to all":    {func(t *testing.T, h madeHost) { chmod(t, h.exe, 0o757) }, "can write its executable"},
		"open to groups": {func(t *testing.T, h madeHost) { chmod(t, h.exe, 0o775) }, "can write its executable"},
		"open folder":    {func(t *testing.T, h madeHost) { chmod(t, filepath.Dir(h.socket), 0o777) }, "can replace its socket"},
		"sticky folder":  {func(t *testing.T, h madeHost) { chmod(t, filepath.Dir(h.socket), 0o777|os.ModeSticky) }, ""},
		"replaced socket": {func(t *testing.T, h madeHost) {
			os.Remove(h.socket)
			h.link(t, "../run/mysqld.sock", "/run/mysqld/mysqld.sock")
		}, "not where it was bound"},
		"somebody's executable": {func(t *testing.T, h madeHost) { chown(t, h.exe, root) }, "can write its executable"},
		"somebody's socket":     {func(t *testing.T, h madeHost) { chown(t, h.socket, root) }, "belongs to another user"},
		"somebody's folder":     {func(t *testing.T, h madeHost) { chown(t, filepath.Dir(h.socket), root) }, "can replace its socket"},
		"no socket":             {func(t *testing.T, h madeHost) { write(t, filepath.Join(h.proc, "10/net/unix"), "") }, ""},
		"no socket, no network": {func(t *testing.T, h madeHost) {
			write(t, filepath.Join(h.proc, "10/net/unix"), "")
			h.link(t, "10/ns/net", "net:[9]")
		}, "no socket that can be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			h := host(t)
			x.do(t, h)
			targets, hidden := Discover(t.Context(), Here{Proc: h.proc, Files: &OptionFiles{Client: ClientOptions{User: "app", Password: "hunter2", PasswordFrom: "~/.my.cnf"}}})
			var told Hidden
			for _, s := range hidden {
				if s.PID == 10 {
					told = s
				}
			}
			if found := len(targets) == 1; found != (x.says == "") || !strings.Contains(told.Why, x.says) {
				t.Errorf("found %v, %q", found, told.Why)
			}
			if x.says != "" && !strings.Contains(told.How, "name it") {
				t.Errorf("no command that names it: %q", told.How)
			}
			if strings.Contains(told.Why+told.How, "hunter2") {
				t.Error("the password shows")
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, path string, root bool) {
	t.Helper()
	if !root {
		t.Skip("only root can give a file away")
	}
	if err := os.Lchown(path, 4711, 4711); err != nil {
		t.Fatal(err)
	}
}

// TestHostileSocketName: paths of sockets are chosen by whoever makes them.
func TestHostileSocketName(t *testing.T) {
	h := host(t)
	h.runsAs(t, 10, 4711)
	write(t, filepath.Join(h.proc, "10/net/unix"), "0000: 00000002 00000000 00010000 0001 01 501 /tmp/$(reboot);'x\n")
	_, hidden := Discover(t.Context(), Here{Proc: h.proc, Files: &OptionFiles{}})
	if want := `rtrail diagnose --mysql='root@/tmp/$(reboot);'\''x'`; len(hidden) == 0 || !strings.HasSuffix(hidden[0].How, want) {
		t.Errorf("%+v, want %s", hidden, want)
	}
}

// TestForgedSocket: a name with a line break forges a line that gives the server's
// socket another place.
func TestForgedSocket(t *testing.T) {
	h := host(t)
	me := os.Getpid()
	h.server(t, me)
	h.link(t, fmt.Sprintf("%d/fd/21", me), "socket:[700]")
	const forged = "0000: 00000002 00000000 00010000 0001 01 800 /tmp/x\n0000: 00000002 00000000 00010000 0001 01 700 /tmp/stranger\n"
	for name, table := range map[string]string{
		"before": forged + "0000: 00000002 00000000 00010000 0001 01 700 " + h.socket + "\n",
		"behind": "0000: 00000002 00000000 00010000 0001 01 700 " + h.socket + "\n" + forged,
	} {
		write(t, filepath.Join(h.proc, fmt.Sprintf("%d/net/unix", me)), table)
		targets, hidden := Discover(t.Context(), Here{Proc: h.proc, Files: &OptionFiles{Client: ClientOptions{User: "app", Password: "x", PasswordFrom: "~/.my.cnf"}}})
		if !slices.ContainsFunc(targets, func(t Target) bool { return t.PID == int32(me) && t.Address == h.socket }) {
			t.Errorf("%s: %v, hidden %v", name, targets, hidden)
		}
	}
}

// TestNothingIsSaidToStrangers connects to sockets that are not, or no longer,
// those of the server that was found.
func TestNothingIsSaidToStrangers(t *testing.T) {
	h := host(t)
	me := os.Getpid()
	h.server(t, me)
	everybody := ownAccounts()
	for name, x := range map[string]struct {
		trust Trust
		says  string
	}{
		"another process":             {Trust{accounts: everybody, proc: h.proc, pid: 10}, "made by another process"},
		"another user":                {Trust{accounts: accounts{4711}, proc: h.proc, pid: int32(me)}, "neither root nor mysql"},
		"any process of another user": {Trust{accounts: accounts{4711}}, "neither root nor mysql"},
	} {
		got := make(chan string, 1)
		path := filepath.Join(filepath.Dir(h.socket), "x.sock")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, mysqltest.Greeting(methodCachingSHA2, 0))
			b, _ := io.ReadAll(c)
			got <- string(b)
		}()
		target := Target{Network: "unix", Address: path, Name: path, User: "root", Password: "hunter2", Found: true, Trust: x.trust, TLS: TLSPreferred}
		kind, _, text, _ := connect(t, target, time.Second)
		if kind != Withheld || !strings.Contains(text, x.says) {
			t.Errorf("%s: kind %v, %s", name, kind, text)
		}
		select {
		case said := <-got:
			if said != "" {
				t.Errorf("%s: it was told %q", name, said)
			}
		case <-time.After(2 * time.Second):
			t.Errorf("%s: the connection was not closed", name)
		}
		l.Close()
	}
	// And the host's own is spoken to.
	path := filepath.Join(filepath.Dir(h.socket), "own.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go serveOnce(l, mysqltest.Server{})
	c, err := Target{Network: "unix", Address: path, Name: path, User: "root", Found: true, Trust: Trust{accounts: everybody, proc: h.proc, pid: int32(me)}}.
		Connect(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestListenersOfStrangers: who listens at an address of this host is told by the
// kernel, too.
func TestListenersOfStrangers(t *testing.T) {
	for name, x := range map[string]struct {
		accounts accounts
		says     string
	}{
		"one's own":       {accounts{uint32(os.Geteuid())}, "Access denied"},
		"somebody else's": {accounts{4711}, "listens there"},
	} {
		heard := make(chan string, 8)
		target := listen(t, mysqltest.Server{Login: []string{mysqltest.Error(1045, "Access denied")}, Heard: func(p string) { heard <- p }}.Serve)
		target.Found, target.Trust = true, Trust{accounts: x.accounts, proc: "/proc"}
		_, _, text, _ := connect(t, target, 2*time.Second)
		if !strings.Contains(text, x.says) || x.accounts.has(4711) != (len(heard) == 0) {
			t.Errorf("%s: %q, %d packets were sent", name, text, len(heard))
		}
	}
}
