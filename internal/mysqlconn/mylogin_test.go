package mysqlconn

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// encodeLogin makes a login file of a text, as mysql_config_editor does.
func encodeLogin(t testing.TB, text string) []byte {
	t.Helper()
	b := make([]byte, loginUnused, 100)
	var key [aes.BlockSize]byte
	for i := range byte(loginKey) {
		b = append(b, i*11%32) // the tool takes bytes below the blank
		key[i%aes.BlockSize] ^= i * 11 % 32
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		padding := aes.BlockSize - len(line)%aes.BlockSize
		plain := append([]byte(line), bytes.Repeat([]byte{byte(padding)}, padding)...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(plain)))
		for ; len(plain) > 0; plain = plain[aes.BlockSize:] {
			b = append(b, make([]byte, aes.BlockSize)...)
			block.Encrypt(b[len(b)-aes.BlockSize:], plain)
		}
	}
	return b
}

const loginText = "[client]\nuser = \"me\"\npassword = \"p#ss w\\\"ord\"\n[prod]\nuser = admin\nhost = db1.example.org\nport = 3307\n[exactly16bytes]\nsocket = /x.sock\n"

func homeWith(t *testing.T, login []byte, mode os.FileMode) (home string, getenv func(string) string) {
	t.Helper()
	home = t.TempDir()
	write(t, filepath.Join(home, ".my.cnf"), "[client]\nuser=mycnf\npassword=frommycnf\nport=3310\n")
	path := filepath.Join(home, ".mylogin.cnf")
	if err := os.WriteFile(path, login, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return home, func(name string) string { return map[string]string{"HOME": home, "MYSQL_PWD": "env"}[name] }
}

func TestLoginFile(t *testing.T) {
	good := encodeLogin(t, loginText)
	spoilt := bytes.Clone(good)
	spoilt[7] ^= 1 // of the key
	mine := ClientOptions{User: "mycnf", Password: "frommycnf", Port: 3310}
	for name, test := range map[string]struct {
		file []byte
		mode os.FileMode
		want ClientOptions
		note string
	}{
		"read last":          {good, 0o600, ClientOptions{User: "me", Password: `p#ss w"ord`, Port: 3310}, ""},
		"only readable":      {good, 0o400, ClientOptions{User: "me", Password: `p#ss w"ord`, Port: 3310}, ""},
		"a group may use it": {good, 0o640, mine, "chmod 600"},
		"executable":         {good, 0o700, mine, "chmod 600"},
		"without a path":     {good[:24], 0o600, mine, ""},
		"empty":              {nil, 0o600, mine, "mysql_config_editor"},
		"cut in the key":     {good[:20], 0o600, mine, "mysql_config_editor"},
		"cut in a line":      {good[:50], 0o600, mine, "mysql_config_editor"},
		"another key":        {spoilt, 0o600, mine, "mysql_config_editor"},
		"plain text":         {[]byte(loginText), 0o600, mine, "mysql_config_editor"},
	} {
		home, getenv := homeWith(t, test.file, test.mode)
		o := ReadOptionFiles(t.TempDir(), getenv)
		test.want.PasswordFrom = filepath.Join(home, ".my.cnf")
		if test.want.User == "me" {
			test.want.PasswordFrom = filepath.Join(home, ".mylogin.cnf")
		}
		if diff := cmp.Diff(test.want, o.Client); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		if notes := strings.Join(o.Notes, "; "); (test.note == "") != (notes == "") || !strings.Contains(notes, test.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, test.note)
		}
	}
}

// The file was written by mysql_config_editor 9.7.4, of made-up logins.
func TestLoginFileOfTheTool(t *testing.T) {
	file, err := os.ReadFile("testdata/mylogin-9.7.cnf")
	if err != nil {
		t.Fatal(err)
	}
	home, getenv := homeWith(t, file, 0o600)
	o := ReadOptionFiles(t.TempDir(), getenv)
	want := ClientOptions{User: "me", Password: "it's", Socket: "/run/mysqld/mysqld.sock", Port: 3310, PasswordFrom: filepath.Join(home, ".mylogin.cnf")}
	if diff := cmp.Diff(want, o.Client); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for path, want := range map[string]Target{
		"shop": {Network: "tcp", Address: "127.0.0.1:33998", User: "anna", Password: `s3 #cret"x\y`},
		"bare": {User: "nobody"},
	} {
		got, err := Parse("?login-path="+path, o, Options{})
		if err != nil || got.User != want.User || want.Address != "" && (got.Address != want.Address || got.Password != want.Password) {
			t.Errorf("%s: %s as %s with %q, %v", path, got.Address, got.User, string(got.Password), err)
		}
	}
}

// TestLoginFileLeftOut wants whoever is not let in to hear why.
func TestLoginFileLeftOut(t *testing.T) {
	home, getenv := homeWith(t, encodeLogin(t, loginText), 0o644)
	if err := os.Remove(filepath.Join(home, ".my.cnf")); err != nil {
		t.Fatal(err)
	}
	o := ReadOptionFiles(t.TempDir(), func(name string) string { return strings.TrimPrefix(getenv(name), "env") })
	target, err := Parse("me@db1", o, Options{})
	if err != nil || !strings.HasPrefix(target.From, NoPassword+"; ") || !strings.Contains(target.From, "chmod 600") {
		t.Errorf("from %q, %v", target.From, err)
	}
}

func TestLoginFileOfAnotherName(t *testing.T) {
	home, _ := homeWith(t, nil, 0o600)
	path := filepath.Join(home, "login")
	if err := os.WriteFile(path, encodeLogin(t, loginText), 0o600); err != nil {
		t.Fatal(err)
	}
	o := ReadOptionFiles(t.TempDir(), func(name string) string {
		return map[string]string{"HOME": home, "MYSQL_TEST_LOGIN_FILE": path}[name]
	})
	if o.Client.User != "me" || o.Client.PasswordFrom != path {
		t.Errorf("%+v", o.Client)
	}
}

func TestLoginPath(t *testing.T) {
	_, getenv := homeWith(t, encodeLogin(t, loginText), 0o600)
	o := ReadOptionFiles(t.TempDir(), getenv)
	for dsn, want := range map[string]Target{
		"?login-path=prod":               {Network: "tcp", Address: "db1.example.org:3307", User: "admin", Password: `p#ss w"ord`},
		"root:x@db2?login-path=prod":     {Network: "tcp", Address: "db2:3307", User: "root", Password: "x"},
		"mysql://?login-path=prod":       {Network: "tcp", Address: "db1.example.org:3307", User: "admin", Password: `p#ss w"ord`},
		"db2?login-path=client&tls=true": {Network: "tcp", Address: "db2:3310", User: "me", Password: `p#ss w"ord`},
		"?login-path=exactly16bytes":     {Network: "unix", Address: "/x.sock", User: "me", Password: `p#ss w"ord`},
	} {
		got, err := Parse(dsn, o, Options{})
		if err != nil || got.Network != want.Network || got.Address != want.Address || got.User != want.User || got.Password != want.Password {
			t.Errorf("%s: %s %s as %s with %q, %v", dsn, got.Network, got.Address, got.User, string(got.Password), err)
		}
	}
	for _, files := range []*OptionFiles{o, nil, {}} {
		if _, err := Parse("db1?login-path=staging", files, Options{}); err == nil || !strings.Contains(err.Error(), "no such login path") {
			t.Errorf("a login path that is not there: %v", err)
		}
	}
}

// A login path with a port alone means TCP, whatever socket other files name.
func TestLoginPathWithAPortAlone(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "etc/mysql/my.cnf"), "[client-server]\nsocket=/run/mysqld/mysqld.sock\n")
	_, getenv := homeWith(t, encodeLogin(t, "[near]\nuser=anna\nport=3399\n"), 0o600)
	got, err := Parse("?login-path=near", ReadOptionFiles(root, getenv), Options{})
	if err != nil || got.Network != "tcp" || got.Address != "localhost:3399" {
		t.Errorf("%s %s, %v", got.Network, got.Address, err)
	}
	home, _ := homeWith(t, encodeLogin(t, "[near]\nuser=anna\nport=3399\n"), 0o600)
	write(t, filepath.Join(home, ".my.cnf"), "[client]\nsocket=/tmp/mine.sock\n")
	got, err = Parse("?login-path=near", ReadOptionFiles(root, func(name string) string { return map[string]string{"HOME": home}[name] }), Options{})
	if err != nil || got.Network != "tcp" || got.Address != "localhost:3399" {
		t.Errorf("beside a socket of one's own: %s %s, %v", got.Network, got.Address, err)
	}
}

func FuzzLoginFile(f *testing.F) {
	f.Add(encodeLogin(f, loginText))
	f.Add(encodeLogin(f, ""))
	f.Add([]byte("\x00\x00\x00\x0001234567890123456789\x10\x00\x00\x000123456789abcdef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := decodeLogin(data)
		if len(text) > len(data) || err != nil && text != nil {
			t.Errorf("%d bytes of text from %d, %v", len(text), len(data), err)
		}
		// What can be written is read again.
		if again, err := decodeLogin(encodeLogin(t, string(data))); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q becomes %q, %v", data, again, err)
		}
	})
}
