package mysqlconn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	files := &OptionFiles{Client: ClientOptions{User: "filed", Password: "fromfile", PasswordFrom: "/home/x/.my.cnf", Port: 3307}}
	none := &OptionFiles{Client: ClientOptions{User: "me"}}
	type want struct {
		Network, Address, User, Password string
		Prompt                           bool
		TLS                              string
		AdminPort                        int
	}
	tests := []struct {
		dsn   string
		files *OptionFiles
		want  want
	}{
		{"db1", none, want{"tcp", "db1:3306", "me", "", false, TLSPreferred, 0}},
		{"db1:3310", none, want{"tcp", "db1:3310", "me", "", false, TLSPreferred, 0}},
		{"root@db1", none, want{"tcp", "db1:3306", "root", "", false, TLSPreferred, 0}},
		{"root@db1", files, want{"tcp", "db1:3307", "root", "fromfile", false, TLSPreferred, 0}},
		{"db1", files, want{"tcp", "db1:3307", "filed", "fromfile", false, TLSPreferred, 0}},
		{"root:p@ss:w/rd@db1:1", none, want{"tcp", "db1:1", "root", "p@ss:w/rd", false, TLSPreferred, 0}},
		{"root:1://2@db1", none, want{"tcp", "db1:3306", "root", "1://2", false, TLSPreferred, 0}},
		{"root:@db1", files, want{"tcp", "db1:3307", "root", "", false, TLSPreferred, 0}},
		{"root:-@db1", files, want{"tcp", "db1:3307", "root", "", true, TLSPreferred, 0}},
		{"root:x@tcp(db1:3308)/shop?parseTime=true&tls=skip-verify", none, want{"tcp", "db1:3308", "root", "x", false, TLSUnverified, 0}},
		{"root:x@tcp([::1]:3308)/", none, want{"tcp", "[::1]:3308", "root", "x", false, TLSPreferred, 0}},
		{"tcp(10.0.0.1)/", none, want{"tcp", "10.0.0.1:3306", "me", "", false, TLSPreferred, 0}},
		{"mysql://root:p%40s@db1:3308/shop", none, want{"tcp", "db1:3308", "root", "p@s", false, TLSPreferred, 0}},
		{"mariadb://db1/", none, want{"tcp", "db1:3306", "me", "", false, TLSPreferred, 0}},
		{"mysql://db1/?tls=true&admin-port=33062", none, want{"tcp", "db1:3306", "me", "", false, TLSVerified, 33062}},
		{"/run/mysqld/mysqld.sock", none, want{"unix", "/run/mysqld/mysqld.sock", "me", "", false, TLSPreferred, 0}},
		{"/run/with@sign.sock", none, want{"unix", "/run/with@sign.sock", "me", "", false, TLSPreferred, 0}},
		{"unix:/tmp/m.sock", none, want{"unix", "/tmp/m.sock", "me", "", false, TLSPreferred, 0}},
		{"unix:///tmp/m.sock", none, want{"unix", "/tmp/m.sock", "me", "", false, TLSPreferred, 0}},
		{"root@/tmp/m.sock", none, want{"unix", "/tmp/m.sock", "root", "", false, TLSPreferred, 0}},
		{"root:q?w@unix(/tmp/m.sock)/?tls=false", none, want{"unix", "/tmp/m.sock", "root", "q?w", false, TLSOff, 0}},
		{"2001:db8::1", none, want{"tcp", "[2001:db8::1]:3306", "me", "", false, TLSPreferred, 0}},
		{"[2001:db8::1]:3308", none, want{"tcp", "[2001:db8::1]:3308", "me", "", false, TLSPreferred, 0}},
	}
	for _, test := range tests {
		got, err := Parse(test.dsn, test.files, Options{})
		if err != nil {
			t.Errorf("%s: %v", test.dsn, err)
			continue
		}
		if diff := cmp.Diff(test.want, want{got.Network, got.Address, got.User, string(got.Password), got.Prompt, got.TLS, got.AdminPort}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.dsn, diff)
		}
	}
}

// The mysql client reads the same files: it must only be told of users that they
// do not name.
func TestClientUser(t *testing.T) {
	files := &OptionFiles{Client: ClientOptions{User: "filed", Password: "x", PasswordFrom: "~/.my.cnf"}}
	for _, test := range []struct {
		dsn   string
		files *OptionFiles
		want  string
	}{
		{"lab@db1", nil, "lab"},
		{"lab:secret@db1", files, "lab"},
		{"db1", nil, ""},
		{"db1", files, ""},
		{"filed@db1", files, ""},
		{currentUser() + "@db1", nil, ""},
		{currentUser() + "@db1", files, currentUser()},
		{"lab@/run/mysqld/mysqld.sock", nil, "lab"},
	} {
		got, err := Parse(test.dsn, test.files, Options{})
		if err != nil || got.ClientUser != test.want {
			t.Errorf("%s: %q, %v; want %q", test.dsn, got.ClientUser, err, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for dsn, says := range map[string]string{
		"root:hunter2@db1:99999":            "port",
		"root:hunter2@db1:x":                "port",
		"root:hunter2@tcp(db1:3306":         "parenthesis",
		"root:hunter2@unix(m.sock)/":        "slash",
		"mysql://root:hunter2%zz@db1/":      "%25",
		"root:hunter2@db1?tsl=true":         "unknown parameter",
		"root:hunter2@db1?tls=required":     "tls",
		"root:hunter2@db1?admin-port=0":     "admin-port",
		"root:hunter2@db1/?a;b":             "question mark",
		"root:hunter2@host with blank":      "character",
		"root:hunter2@1:2:3:4":              "IPv6",
		"https://root:hunter2@db1/":         "mysql://",
		"jdbc:mysql://db1?password=hunter2": "mysql://",
		"root:hunter2@db1\nroot@db2":        "control",
		"mysql://root:hunter2@db1?tls=yes":  "tls",
		"mysql://root:hunter2@[::1":         "IPv6",
		"root:hunter2@::1]":                 "IPv6",
		"@@@":                               "no server behind",
		"@":                                 "no server behind",
	} {
		_, err := Parse(dsn, nil, Options{})
		if err == nil {
			t.Errorf("%q is taken", dsn)
			continue
		}
		if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v; want it to say %q and not the password", dsn, err, says)
		}
	}
}

func TestSecretNeverShows(t *testing.T) {
	target, err := Parse("root:hunter2@db1", nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(target), fmt.Sprintf("%+v", target), fmt.Sprintf("%#v", target), fmt.Sprintf("%q %x", target.Password, target.Password), string(b)} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "68756e74657232") {
			t.Errorf("the password shows in %s", text)
		}
	}
	if target.Password != "hunter2" {
		t.Error("the password is lost")
	}
}

func FuzzParse(f *testing.F) {
	for _, dsn := range []string{"db1", "root:hunter2@db1:3306", "root:hunter2@tcp(db1:3306)/x?tls=true", "mysql://root:hunter2@[::1]:3306/", "/tmp/m.sock",
		"unix:/tmp/m.sock", "a:b@unix(/x)/?ca=/f", "::1", "?tls=x", "@", ":@", "tcp()"} {
		f.Add(dsn)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		target, err := Parse(dsn, nil, Options{})
		if err != nil {
			if len(dsn) > 12 && strings.Contains(err.Error(), dsn) {
				t.Errorf("the error repeats the name: %v", err)
			}
			return
		}
		if target.Network != "tcp" && target.Network != "unix" || target.Address == "" || target.Name == "" || target.User == "" && !strings.Contains(dsn, "@") {
			t.Errorf("%q makes %+v", dsn, target)
		}
	})
}
