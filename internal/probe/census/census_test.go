package census

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func text(b []byte) string { return string(b) }

func TestParseStat(t *testing.T) {
	tests := []struct {
		name, line string
		want       Stat
		ok         bool
	}{
		{
			name: "a shell",
			line: "9303 (cat) R 9282 9282 5267 0 -1 4194304 100 7 3 0 5 6 8 9 20 -5 3 0 118438 3133440 412 18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 4 5 6 7 8 9 10 0\n",
			want: Stat{
				Comm: "cat", State: 'R', PPID: 9282, MinorFaults: 100, MajorFaults: 3, User: 50 * time.Millisecond, System: 60 * time.Millisecond,
				ChildUser: 80 * time.Millisecond, ChildSystem: 90 * time.Millisecond, Nice: -5, Threads: 3, StartTicks: 118438,
				VirtualSize: 3133440, RSSPages: 412, Processor: 1,
			},
			ok: true,
		},
		{
			name: "a name with parentheses and blanks",
			line: "7 (a) b (c)) S 1 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 12 0 0\n",
			want: Stat{Comm: "a) b (c)", State: 'S', PPID: 1, Kernel: true, Nice: 0, Threads: 1, StartTicks: 12, Processor: -1},
			ok:   true,
		},
		{name: "cut in the middle", line: "7 (sh) S 1 0 0 0 -1 21299"},
		{name: "no name", line: "7 sh S 1"},
		{name: "empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := ParseStat([]byte(test.line), text)
			if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
				t.Errorf("ok %v, want %v; (-want +got)\n%s", ok, test.ok, diff)
			}
		})
	}
}

func TestParseSched(t *testing.T) {
	got, ok := ParseSched([]byte("15570968 2764946 23\n"))
	if want := (Sched{15570968, 2764946, 23}); !ok || got != want {
		t.Errorf("got %+v %v, want %+v", got, ok, want)
	}
	for _, bad := range []string{"", "1 2\n", "1 -2 3\n", "a b c"} {
		if got, ok := ParseSched([]byte(bad)); ok {
			t.Errorf("%q gives %+v, want no reading", bad, got)
		}
	}
}

func TestNamespaceInode(t *testing.T) {
	if n, ok := NamespaceInode([]byte("net:[4026531840]")); !ok || n != 4026531840 {
		t.Errorf("got %d %v", n, ok)
	}
	for _, bad := range []string{"", "net:4026531840", "net:[", "net:[x]"} {
		if n, ok := NamespaceInode([]byte(bad)); ok {
			t.Errorf("%q gives %d", bad, n)
		}
	}
}

// TestCountFollowsActivity: what slept since the last count is not active,
// what ran is.
func TestCountFollowsActivity(t *testing.T) {
	c := New("/")
	defer c.Close()
	if !c.Live() {
		t.Skip("no /proc here")
	}
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	between := time.Now()
	for time.Since(between) < 30*time.Millisecond {
	}
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	for _, e := range c.List(nil) {
		if e.PID == int32(os.Getpid()) {
			if !e.Active.After(between) {
				t.Errorf("the test ran, but was last active at %v, before %v", e.Active, between)
			}
			return
		}
	}
	t.Error("the test is not among the processes")
}

func TestMissingProc(t *testing.T) {
	c := New(t.TempDir())
	defer c.Close()
	if err := c.Take(true); err == nil {
		t.Error("a count without /proc must fail")
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("9303 (cat) R 9282 9282 5267 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 118438 3133440 412 1\n"))
	f.Add([]byte("1 (a) (b) S"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, ok := ParseStat(b, text); ok && (s.State == 0 || s.User < 0 || s.System < 0) {
			t.Errorf("%q gives %+v", b, s)
		}
	})
}

func FuzzParseSched(f *testing.F) {
	f.Add([]byte("15570968 2764946 23\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, ok := ParseSched(b); ok && (s.RunTime < 0 || s.RunDelay < 0 || s.Slices < 0) {
			t.Errorf("%q gives %+v", b, s)
		}
	})
}

func FuzzDirectory(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x18\x00\x04812\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		eachNumber(b, func(n int32) {
			if n < 0 {
				t.Errorf("negative number %d", n)
			}
		})
	})
}
