package mysqlconn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOptionFiles(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, "home/me")
	write(t, filepath.Join(root, "etc/my.cnf"), "[client]\nuser = etc\nport=3307\n[mysqld]\nuser=mysql\npassword=wrong\n!includedir "+root+"/etc/my.cnf.d\n")
	write(t, filepath.Join(root, "etc/my.cnf.d/a.cnf"), "[client-mariadb]\nssl_ca=/ca.pem\n")
	write(t, filepath.Join(root, "etc/my.cnf.d/b.txt"), "[client]\nuser=notread\n")
	own := write(t, filepath.Join(home, ".my.cnf"), "# mine\n[mysql]\nuser=\"me\"  # comment\npassword = 'p#ss w\\\"ord'\nloose-socket=/tmp/x.sock\nno-auto-rehash\n!include more.cnf\n")
	more := write(t, filepath.Join(home, "more.cnf"), "[client]\nhost=db1\nssl-mode=VERIFY_CA\n!include .my.cnf\n")

	o := ReadOptionFiles(root, func(name string) string { return map[string]string{"HOME": home, "MYSQL_PWD": "env"}[name] })
	want := ClientOptions{User: "me", Host: "db1", Socket: "/tmp/x.sock", Port: 3307, Password: `p#ss w"ord`, PasswordFrom: own, TLS: TLSVerified, CA: "/ca.pem"}
	if diff := cmp.Diff(want, o.Client); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !o.Places {
		t.Error("the user's own file places a server")
	}
	if host := ReadOptionFiles(root, func(string) string { return "" }); host.Places || host.Client.Port != 3307 {
		t.Errorf("the files of the host alone: %+v", host)
	}
	if diff := cmp.Diff([]string{filepath.Join(root, "etc/my.cnf"), filepath.Join(root, "etc/my.cnf.d/a.cnf"), own, more}, o.Read); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
}

// Debian's files of the host name a socket that a server at another port does
// not have.
func TestPlaced(t *testing.T) {
	const hostFile = "[client-server]\nsocket=/run/mysqld/mysqld.sock\n"
	for _, c := range []struct{ name, host, own, want string }{
		{"nothing of one's own", hostFile, "[client]\nuser=me\n", ""},
		{"a port", "", "[client]\nport=13597\n", "localhost:13597"},
		{"a port, where the host has a socket", hostFile, "[client]\nport=13597\n", "localhost:13597"},
		{"a port, where the host has another one and a socket", hostFile + "port=3306\n", "[client]\nport=13597\n", "localhost:13597"},
		{"a port, where the host names a server", "[client]\nhost=db1\n", "[client]\nport=13597\n", "db1:13597"},
		{"a port and a host", hostFile, "[client]\nhost=db1\nport=13597\n", "db1:13597"},
		{"a port and a socket", hostFile, "[client]\nsocket=/tmp/x.sock\nport=13597\n", "/tmp/x.sock"},
		{"a socket, where the host has a port", "[client]\nport=3307\n", "[client]\nsocket=/tmp/x.sock\n", "/tmp/x.sock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			home := filepath.Join(root, "home/me")
			write(t, filepath.Join(root, "etc/mysql/my.cnf"), c.host)
			write(t, filepath.Join(home, ".my.cnf"), c.own)
			files := ReadOptionFiles(root, func(name string) string { return map[string]string{"HOME": home}[name] })
			target, ok := Placed(files, Options{})
			if ok != (c.want != "") || target.Address != c.want {
				t.Errorf("%q, %v; want %q", target.Address, ok, c.want)
			}
		})
	}
}

func TestPasswordOfTheEnvironment(t *testing.T) {
	o := ReadOptionFiles(t.TempDir(), func(name string) string { return map[string]string{"MYSQL_PWD": "env"}[name] })
	if o.Client.Password != "env" || o.Client.PasswordFrom != "MYSQL_PWD" {
		t.Errorf("%+v from %q", string(o.Client.Password), o.Client.PasswordFrom)
	}
}

func TestFilesThatAnybodyMayWrite(t *testing.T) {
	root := t.TempDir()
	path := write(t, filepath.Join(root, "etc/my.cnf"), "[client]\nhost=evil\n")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	o := ReadOptionFiles(root, func(string) string { return "" })
	if o.Client.Host != "" || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "anybody may write") {
		t.Errorf("host %q, notes %q", o.Client.Host, o.Notes)
	}
}

// TestOptionFilesOfOthers: a file, and a link to one, must belong to root or to who
// reads it; and what is no file makes nobody wait.
func TestOptionFilesOfOthers(t *testing.T) {
	read := func(make func(path string)) *OptionFiles {
		home := t.TempDir()
		make(filepath.Join(home, ".my.cnf"))
		return ReadOptionFiles(t.TempDir(), func(name string) string { return map[string]string{"HOME": home}[name] })
	}
	const text = "[client]\nhost=evil\n"
	elsewhere := write(t, filepath.Join(t.TempDir(), "x.cnf"), text)
	for name, x := range map[string]struct {
		make func(path string)
		says string // "": it is read
	}{
		"one's own":    {func(path string) { write(t, path, text) }, ""},
		"a link to it": {func(path string) { _ = os.Symlink(elsewhere, path) }, ""},
		"a pipe":       {func(path string) { _ = syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"a folder":     {func(path string) { _ = os.Mkdir(path, 0o700) }, "not a regular file"},
		"a device":     {func(path string) { _ = os.Symlink("/dev/zero", path) }, "not a regular file"},
		"a hard link":  {func(path string) { _ = os.Link(write(t, path+"2", text), path) }, "hard link"},
		"too large":    {func(path string) { write(t, path, text+strings.Repeat("#", maxOptionFile)) }, "larger than"},
		"somebody's":   {func(path string) { chown(t, write(t, path, text), os.Geteuid() == 0) }, "belongs to user 4711"},
		"somebody's link": {func(path string) {
			_ = os.Symlink(elsewhere, path)
			chown(t, path, os.Geteuid() == 0)
		}, "link belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			o := read(x.make)
			if notes := strings.Join(o.Notes, "; "); (o.Client.Host == "evil") != (x.says == "") || !strings.Contains(notes, x.says) {
				t.Errorf("host %q, notes %q", o.Client.Host, notes)
			}
		})
	}
}

// TestIncludesWithoutEnd: files that include others, which include others.
func TestIncludesWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	var all strings.Builder
	for i := range 30 {
		fmt.Fprintf(&all, "!include %s/%d.cnf\n", dir, i)
	}
	for i := range 30 {
		for range 40 { // the same file by other names
			fmt.Fprintf(&all, "!include %s/../%s/%d.cnf\n", dir, filepath.Base(dir), i)
			dir := dir + "/."
			fmt.Fprintf(&all, "!include %s/%d.cnf\n!includedir %s\n", dir, i, dir)
		}
	}
	for i := range 30 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.cnf", i)), all.String())
	}
	began := time.Now()
	o, err := ReadOptionFile(filepath.Join(dir, "0.cnf"))
	if err != nil || len(o.Read) > maxFiles || len(o.Notes) > maxFiles || time.Since(began) > 5*time.Second {
		t.Errorf("%d files, %d notes, %v, %v", len(o.Read), len(o.Notes), time.Since(began), err)
	}
	many := t.TempDir()
	for i := range maxFolder + 1 {
		write(t, filepath.Join(many, fmt.Sprintf("%d.cnf", i)), "")
	}
	o, _ = ReadOptionFile(write(t, filepath.Join(dir, "x"), "!includedir "+many+"\n"))
	if len(o.Read) != 1 || len(o.Notes) != 1 {
		t.Errorf("a large folder: %d files, notes %q", len(o.Read), o.Notes)
	}
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{`plain`: "plain", `"two words"`: "two words", `'a'`: "a", `a\sb`: "a b", `a\\b`: `a\b`, `a\qb`: `a\qb`, `"`: `"`, `a\`: `a\`, ``: ``} {
		if got := unquote(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzOptionFile(f *testing.F) {
	f.Add([]byte("[client]\nuser=a\npassword='x#y'\n!include /x\n!includedir y\n"))
	f.Add([]byte("[client\n=\n!\n[]\n\\\nport=99999999999999\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c ClientOptions
		parseOptions(&c, data, "f", clientGroups, noInclude)
		if c.Port < 0 || c.Port > 65535 {
			t.Errorf("port %d", c.Port)
		}
		if c.PasswordFrom == "" && c.Password != "" {
			t.Error("a password from nowhere")
		}
	})
}
