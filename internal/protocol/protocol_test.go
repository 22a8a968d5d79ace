package protocol

import "testing"

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

// TestOpaque: only what is not decoded is opaque; a decoder's name is not.
func TestOpaque(t *testing.T) {
	for name, want := range map[string]bool{"": true, "generic": true, "tls": true, "mysql": false, "mongodb": false, "no such protocol": false} {
		if Of(name).Opaque != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
