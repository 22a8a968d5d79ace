package stack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Names of threads and arguments of functions hold what clients sent.
func TestNoSecretsInStacks(t *testing.T) {
	for name, text := range map[string]string{
		"gdb.txt": `Thread 2 (Thread 0x7f00 (LWP 8) "GET /x?token=h0rse"):
#0  0x01 in __lll_lock_wait (futex=0x5f "select \"h0rse at x.c:5") at lowlevellock.c:52
#1  0x02 in mysql_parse (thd=0x7f, rawbuf=0x7f "select 'h0rse' at \"h0rse\"", c=104 'h', pad="x", 'h' <repeats 20 times>, "h0rse") at /src/sql_parse.cc:5
#2  0x03 in do_command (packet=0x7f "h0rse"...) at /src/sql_parse.cc:9

`,
		"jstack.txt": `2026-01-31 03:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):

"pool https://joe:h0rse@db/x" #12 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f nid=0x8 waiting for monitor entry  [0x00007f]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at a.B.c(B.java:5)
	- waiting to lock <0x000000071b0> (a java.lang.Object)

"holder password=h0rse" #13 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f nid=0x9 runnable  [0x00007f]
   java.lang.Thread.State: RUNNABLE
	at a.B.d(B.java:6)
	- locked <0x000000071b0> (a java.lang.Object)

`,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := Read(t.Context(), []string{path}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Stacks) == 0 || strings.HasPrefix(name, "jstack") && len(p.Locks) == 0 {
			t.Fatalf("%s: %d stacks, %d locks", name, len(p.Stacks), len(p.Locks))
		}
		all := func(texts ...string) {
			if s := strings.Join(texts, "|"); strings.Contains(s, "h0rse") {
				t.Errorf("%s: %s", name, s)
			}
		}
		for _, s := range p.Stacks {
			all(s.Thread, s.Process, s.State)
			all(s.Frames...)
			all(s.Raw...)
		}
		w := recording.NewWriter(time.Unix(0, 0))
		p.Write(w)
		rec := recording.New(recording.Manifest{})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		for _, s := range recording.Rows[recording.StackSample](rec) {
			all(s.Thread, s.Object, s.Frames)
		}
		for _, l := range recording.Rows[recording.StackLock](rec) {
			all(l.Holder, l.Waiter, l.Held)
		}
	}
}
