package census

import (
	"os"
	"testing"
	"time"
)

// TestShare: a count is taken once for all who want one at about the same
// time, but nobody is given the same one twice, and who wants an exact one
// does not get another.
func TestShare(t *testing.T) {
	c := New("/")
	defer c.Close()
	if !c.Live() {
		t.Skip("no /proc here")
	}
	steps := []struct {
		name  string
		age   time.Duration
		exact bool
		had   int64
		want  int64
	}{
		{"the first one", time.Hour, true, 0, 1},
		{"the first count is exact", time.Hour, true, 0, 1},
		{"shared", time.Hour, false, 0, 1},
		{"not twice to the same", time.Hour, false, 1, 2},
		{"the exact one is older than that", 0, true, 0, 3},
		{"too old", 0, false, 0, 4},
	}
	for _, s := range steps {
		if err := c.Share(s.age, s.exact, s.had); err != nil {
			t.Fatal(err)
		}
		if _, got := c.Taken(); got != s.want {
			t.Fatalf("%s: count %d, want %d", s.name, got, s.want)
		}
	}
}

// TestNetNS: what was told holds for the same process under the same name, and
// is not taken from one that is too young to have settled.
func TestNetNS(t *testing.T) {
	c := New("/")
	defer c.Close()
	if !c.Live() {
		t.Skip("no /proc here")
	}
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	var own Entry
	for _, e := range c.List(nil) {
		if e.PID == int32(os.Getpid()) {
			own = e
		}
	}
	if own.PID == 0 {
		t.Fatal("the test is not among the processes")
	}
	own.NetNS = 0 // as where no iterator tells
	young, old := own, own
	young.Started = young.At
	old.Started = old.At.Add(-time.Hour)
	if c.TellNetNS(&young, 7); c.NetNS(&own) != 0 {
		t.Error("kept the namespace of a process that has just begun")
	}
	if c.TellNetNS(&old, 7); c.NetNS(&own) != 7 {
		t.Error("forgot the namespace of a process")
	}
	renamed, other := own, own
	renamed.Comm += "x"
	other.StartTicks++
	if c.NetNS(&renamed) != 0 || c.NetNS(&other) != 0 {
		t.Error("took over the namespace of another program")
	}
}
