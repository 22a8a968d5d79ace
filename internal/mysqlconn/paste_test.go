package mysqlconn

import (
	"strings"
	"testing"

	"rtrail/internal/shell/shelltest"
)

// Whoever runs a server chooses the path of its socket.
func TestNameItIsPasted(t *testing.T) {
	const lead = "name it, if you trust it: "
	for _, of := range []func(string) Target{
		func(name string) Target { return Target{User: "root", Address: "/tmp/" + name} },
		func(name string) Target { return Target{User: name, Address: "10.0.0.2:3306"} },
	} {
		shelltest.Pasted(t, "a", func(name string) string {
			command, ok := strings.CutPrefix(of(name).NameIt(), lead)
			if !ok {
				t.Fatalf("%q", command)
			}
			return command
		})
	}
	if got := (Target{User: "root", Address: "/tmp/a\x00b"}).NameIt(); got != nameByHand {
		t.Errorf("a path with NUL gives %q", got)
	}
}
