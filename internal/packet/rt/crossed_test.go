package rt

import (
	"testing"

	"rtrail/internal/packet/proto"
)

// What pools test connections by is told from what somebody misses.
func TestRequestsThatAskNothing(t *testing.T) {
	for _, tt := range []struct {
		command, text string
		want          bool
	}{
		{"Ping", "", true},
		{"PING", "", true},
		{"QUIT", "", true},
		{"Query", "", true},
		{"Query", "SELECT 1;", true},
		{"Query", "select 1 from dual", true},
		{"Execute", "select 1", true},
		{"Query", "SELECT 10", false},
		{"Query", "select 1 from orders where id = 4711", false},
		{"Query", "COMMIT", false},
		{"GET", "/", false},
		{"GET", "ping", false},
	} {
		if got := asksNothing(&proto.Exchange{Command: tt.command, Text: []byte(tt.text)}); got != tt.want {
			t.Errorf("%s %q asks nothing: %v", tt.command, tt.text, got)
		}
	}
}
