package protocol

import (
	"strings"
	"testing"
	"time"
)

func TestCause(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"http", "503", "the server is overloaded or has no healthy backend"},
		{"http", "507", "the server could not do its work; its error log says why"},
		{"http", "404", "the client asks for what is not there, or not allowed"},
		{"dns", "REFUSED!", "the resolver could not answer: ask it and the servers behind it with dig"},
		{"mysql", "1064", "its SQL has a syntax error"},
		{"mysql", "1", "the statement or command that fails, or what it expects to be there"},
		{"", "", "the statement or command that fails, or what it expects to be there"},
	} {
		if got := Of(c.name).Cause(c.code); got != c.want {
			t.Errorf("%s %s: %s", c.name, c.code, got)
		}
	}
}

// A log of one program is no place to look for errors of another.
func TestLogAt(t *testing.T) {
	const journal, nginx = "journalctl --since ", "tail -n 100 /var/log/nginx/error.log"
	at := time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	for _, c := range []struct{ name, program, begins, ends string }{
		{"http", "nginx", nginx, nginx},
		{"http", "python3", journal, "14:03:10 UTC'"},
		{"http", "", journal, "' # of nginx: " + nginx},
		{"mysql", "mariadbd", "mysql -e ", ""},
		{"mysql", "", "mysql -e ", ""},
		{"fastcgi", "php-fpm8.2", "journalctl -u ", ""},
	} {
		if got := Of(c.name).LogAt(at, c.program).String(); !strings.HasPrefix(got, c.begins) || !strings.HasSuffix(got, c.ends) {
			t.Errorf("%s of %q: %s", c.name, c.program, got)
		}
	}
}

// TestOpaque: only what is not decoded is opaque; a decoder's name is not.
func TestOpaque(t *testing.T) {
	for name, want := range map[string]bool{"": true, "generic": true, "tls": true, "mysql": false, "mongodb": false, "no such protocol": false} {
		if Of(name).Opaque != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
