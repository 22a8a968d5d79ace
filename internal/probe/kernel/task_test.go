package kernel

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// recorded is one pass over the tasks of a small PID namespace; see
// testdata/README.md.
func recorded(t testing.TB) []byte {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the rows were recorded on a little-endian machine")
	}
	b, err := os.ReadFile("testdata/tasks.bin")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParse(t *testing.T) {
	b := recorded(t)
	var got []Task
	for len(b) > 0 {
		var task Task
		n, err := task.parse(b)
		if err != nil || n == 0 {
			t.Fatalf("%d bytes before the end: %d, %v", len(b), n, err)
		}
		got = append(got, task)
		b = b[n:]
	}
	if diff := cmp.Diff(recordedTasks, got, cmpopts.IgnoreFields(Task{}, "Comm")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var names []string
	for _, task := range got {
		names = append(names, string(task.Comm.Bytes()))
	}
	if diff := cmp.Diff(recordedNames, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestParsePart: of a row that is not all there nothing is taken; a row of a
// size that no program writes is an error.
func TestParsePart(t *testing.T) {
	b := recorded(t)
	var task Task
	for n := range groupRow {
		if used, err := task.parse(b[:n]); used != 0 || err != nil {
			t.Fatalf("%d bytes of a row of %d: %d used, %v", n, groupRow, used, err)
		}
	}
	if _, err := task.parse([]byte{7, 0, 0, 0, 1, 2, 3}); err == nil {
		t.Error("a row of 7 bytes must be refused")
	}
}

func TestStateLetter(t *testing.T) {
	tests := []struct {
		name        string
		state, exit uint32
		want        byte
	}{
		{"running", 0, 0, 'R'},
		{"interruptible", 1, 0, 'S'},
		{"interruptible, freezable", 0x2001, 0, 'S'},
		{"uninterruptible", 2, 0, 'D'},
		{"killable", 0x102, 0, 'D'},
		{"idle kernel thread", 0x402, 0, 'I'},
		{"stopped", 0x104, 0, 'T'},
		{"traced", 8, 0, 't'},
		{"parked", 0x40, 0, 'P'},
		{"zombie", 0x80, 0x20, 'Z'},
		{"dead", 0x80, 0x10, 'X'},
		{"frozen", 0x8000, 0, 'D'},
		{"waits for a sleeping lock", 0x1000, 0, 'D'},
	}
	for _, test := range tests {
		if got := stateLetter(test.state, test.exit); got != test.want {
			t.Errorf("%s: %c, want %c", test.name, got, test.want)
		}
	}
}

func TestCounters(t *testing.T) {
	a := Counters{RunTime: time.Second, Slices: 3, IO: IO{ReadBytes: 5}}
	b := Counters{RunTime: time.Minute, Voluntary: 2, IO: IO{ReadBytes: 1, Cancelled: 4}}
	sum := a
	sum.Add(&b)
	if diff := cmp.Diff(Counters{RunTime: 61 * time.Second, Slices: 3, Voluntary: 2, IO: IO{ReadBytes: 6, Cancelled: 4}}, sum); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	a.AtLeast(&b)
	if diff := cmp.Diff(Counters{RunTime: time.Minute, Slices: 3, Voluntary: 2, IO: IO{ReadBytes: 5, Cancelled: 4}}, a); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(recorded(f))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		var task Task
		for len(b) > 0 {
			n, err := task.parse(b)
			if err != nil || n == 0 {
				return
			}
			if n > len(b) {
				t.Fatalf("used %d bytes of %d", n, len(b))
			}
			if task.State == 0 || task.RunTime < 0 || task.Group.IO.Cancelled < 0 || len(task.Comm.Bytes()) > 16 {
				t.Fatalf("implausible %+v", task)
			}
			b = b[n:]
		}
	})
}
