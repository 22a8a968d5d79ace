package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/rt"
)

// made writes a capture of which all is known.
func made(t *testing.T, name string) string {
	t.Helper()
	for _, truth := range generate.Truths() {
		if truth.Name != name {
			continue
		}
		var file bytes.Buffer
		if err := truth.Write(&file); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatalf("no capture %s", name)
	return ""
}

// What a connection was doing when it was closed: pipelined requests that were
// all answered are not in the middle of a response, and where nobody can tell,
// nothing is said.
func TestClosedWhile(t *testing.T) {
	tests := []struct {
		name       string
		path       string
		connection uint64
		want       rt.State
	}{
		{"three pipelined requests, all answered", made(t, "pipelined"), 1, rt.Idle},
		{"nginx closes after the last of three pipelined answers", "../proto/http/testdata/nginx.pcap", 113, rt.Idle},
		{"MySQL refuses a login and closes", "../proto/mysql/testdata/text.pcap", 41, rt.Idle},
		{"close_notify in TLS 1.2 after the answer", "../proto/tls/testdata/tls12.pcap", 1, rt.Unknown},
		{"close_notify in TLS 1.3 after the answer", "../proto/tls/testdata/tls13.pcap", 1, rt.Unknown},
	}
	for _, tt := range tests {
		k, _ := run(t, tt.path, 1)
		found := false
		for _, c := range k.connections {
			if c.ID != tt.connection {
				continue
			}
			found = true
			if c.CloseState != tt.want {
				t.Errorf("%s: closed while %q, want %q", tt.name, c.CloseState, tt.want)
			}
		}
		if !found {
			t.Errorf("%s: no connection %d", tt.name, tt.connection)
		}
	}
}
