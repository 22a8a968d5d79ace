package thread

import (
	"context"
	"encoding/binary"
	"maps"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

func TestParseFutex(t *testing.T) {
	for line, want := range map[string]futexCall{
		"202 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f3a\n":            {address: 0x7f00, expected: 2},
		"202 0x7f00 0x189 0x2 0x7ffc 0x0 0xffffffff 0x7ffd 0x7f3a\n": {address: 0x7f00, expected: 2, timed: true},
		"202 0x7f00 0x86 0x0 0x0 0x0 0x0 0x7ffd 0x7f3a\n":            {address: 0x7f00, pi: true},
		"202 0x7f00 0x80 0x800004d2 0x0 0x0 0x0 0x7ffd 0x7f3a\n":     {address: 0x7f00, expected: 0x800004d2},
		"202 0x7f00 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f3a\n":            {}, // an idle thread
		"202 0x7f00 0x189 0x7 0x0 0x0 0x0 0x7ffd 0x7f3a\n":           {}, // a condition
		"202 0x7f00 0x81 0x2 0x0 0x0 0x0 0x7ffd 0x7f3a\n":            {}, // it wakes
		"202 0x7f00\n": {}, "202": {}, "": {}, "running\n": {}, "0 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f3a\n": {},
		"202 what 0x80 0x2 0x0 0x0 0x0\n": {},
	} {
		if runtime.GOARCH != "amd64" {
			t.Skip("numbers of system calls are those of amd64")
		}
		if got := parseFutex([]byte(line)); got != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
}

// words are memory as a process has it.
func words(list ...uint32) []byte {
	var b []byte
	for _, w := range list {
		b = binary.NativeEndian.AppendUint32(b, w)
	}
	return b
}

func TestOwner(t *testing.T) {
	mutex, pi, robust := futexCall{address: 1, expected: 2}, futexCall{address: 1, pi: true}, futexCall{address: 1, expected: 0x80000000 | 77}
	for name, tc := range map[string]struct {
		call futexCall
		is   []byte
		want uint32
	}{
		"a mutex":                    {mutex, words(2, 0, 77, 1, 0), 77},
		"a recursive one":            {mutex, words(2, 3, 77, 1, 1), 77},
		"one of several processes":   {mutex, words(2, 0, 77, 1, 128), 77},
		"it was released":            {mutex, words(0, 0, 0, 0, 0), 0},
		"nobody waits any more":      {mutex, words(1, 0, 77, 1, 0), 0},
		"just taken":                 {mutex, words(2, 0, 0, 1, 0), 0},
		"no mutex":                   {mutex, words(2, 0, 77, 0, 0), 0},
		"of no kind":                 {mutex, words(2, 0, 77, 1, 40), 0},
		"the memory ends":            {mutex, words(2, 0, 77, 1), 0},
		"with priority inheritance":  {pi, words(0x80000000 | 77), 77},
		"free":                       {pi, words(0), 0},
		"robust":                     {robust, words(0x80000000|77, 0, 77, 1, 16), 77},
		"a word with a bit too many": {robust, words(0x80000000|77, 0, 5, 1, 16), 0},
		"a lock of another kind":     {robust, words(0x80000000|77, 0, 77, 1, 0), 0},
		"nothing":                    {mutex, nil, 0},
	} {
		if got := tc.call.owner(tc.is); got != tc.want {
			t.Errorf("%s: owner %d, want %d", name, got, tc.want)
		}
	}
}

func FuzzFutex(f *testing.F) {
	f.Add([]byte("202 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f3a\n"), words(2, 0, 77, 1, 0))
	f.Fuzz(func(t *testing.T, line, memory []byte) {
		c := parseFutex(line)
		if c.address == 0 && c != (futexCall{}) {
			t.Errorf("no address, but %+v", c)
		}
		if owner := c.owner(memory); owner != 0 && len(memory) < 4 {
			t.Errorf("owner %d of nothing", owner)
		}
	})
}

// Two threads take two locks in different order, and nothing else happens: the probe
// finds them, and says who holds what. With priority inheritance, where the kernel lets
// no thread into a cycle, the second one waits for the first.
func TestLocksAtRest(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	if os.Getenv("RTRAIL_DEADLOCK") != "" {
		deadlock(os.Getenv("RTRAIL_DEADLOCK") == "pi")
	}
	for _, kind := range []string{"plain", "pi"} {
		t.Run(kind, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			child, err := os.StartProcess(exe, []string{exe, "-test.run=^TestLocksAtRest$"}, &os.ProcAttr{Env: append(os.Environ(), "RTRAIL_DEADLOCK="+kind), Files: []*os.File{nil, w, os.Stderr}})
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = child.Kill(); _, _ = child.Wait() }()
			said := make([]byte, 16)
			if _, err := r.Read(said); err != nil {
				t.Fatal(err)
			}
			tids := [2]int32{int32(binary.NativeEndian.Uint32(said)), int32(binary.NativeEndian.Uint32(said[4:]))}
			c := census.New("/")
			defer c.Close()
			p := New(c)
			defer p.Close()
			time.Sleep(200 * time.Millisecond)
			held, want := map[int32]int32{}, map[int32]int32{tids[0]: tids[1], tids[1]: tids[0]}
			if kind == "pi" {
				delete(want, tids[0])
			}
			for began := time.Now(); len(held) < len(want) && time.Since(began) < patience; time.Sleep(250 * time.Millisecond) {
				rec := recording.New(recording.Manifest{})
				w := recording.NewWriter(time.Now())
				if err := p.Sample(context.Background(), w); err != nil {
					t.Fatal(err)
				}
				if err := rec.Commit(w); err != nil {
					t.Fatal(err)
				}
				for _, l := range recording.Rows[recording.LockWait](rec) {
					if int(l.PID) == child.Pid {
						held[l.TID] = l.Holder
						if l.Timed || l.Lock == 0 || l.Slices < 0 {
							t.Errorf("%+v", l)
						}
					}
				}
			}
			if !maps.Equal(held, want) {
				t.Errorf("who waits for whom: %v, want %v", held, want)
			}
		})
	}
}

// deadlock has two threads that wait for each other's locks, forever.
func deadlock(pi bool) {
	type lock struct{ mutex }
	var locks [2]lock
	var tids [2]uint32
	var ready atomic.Int32
	for i := range locks {
		go func() {
			runtime.LockOSThread()
			tids[i] = uint32(unix.Gettid())
			word := uintptr(unsafe.Pointer(&locks[i].lock))
			if pi {
				_, _, _ = unix.Syscall6(unix.SYS_FUTEX, word, futexLockPI, 0, 0, 0, 0)
			} else {
				locks[i].mutex = mutex{lock: contended, owner: tids[i], users: 1}
			}
			ready.Add(1)
			for ready.Load() < 2 {
				time.Sleep(time.Millisecond)
			}
			call := futexWait
			if pi {
				if call = futexLockPI; i == 0 {
					select {}
				}
			}
			_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&locks[1-i].lock)), uintptr(call), contended, 0, 0, 0)
		}()
	}
	for ready.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	_, _ = os.Stdout.Write(append(words(tids[0], tids[1]), make([]byte, 8)...))
	select {}
}
