package load

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What processes use while they are looked at is theirs by name; those that are new count whole.
func TestGoingOn(t *testing.T) {
	proc := t.TempDir()
	task(t, proc, 10, 10, "busy", 100, 0, "")
	task(t, proc, 11, 11, "idle", 900, 0, "")
	task(t, proc, 13, 13, "busy", 900, 0, "") // of the load
	counter := filepath.Join(proc, "10", "io")
	write := func(n string) {
		if err := os.WriteFile(counter, []byte("rchar: 9\nread_bytes: "+n+"\nwrite_bytes: 1000\ncancelled_write_bytes: 7\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0")
	ctx, stop := context.WithCancel(t.Context())
	began := time.Now()
	go func() {
		time.Sleep(200 * time.Millisecond)
		task(t, proc, 10, 10, "busy", 150, 0, "")
		task(t, proc, 13, 13, "busy", 990, 0, "")
		task(t, proc, 12, 12, "busy", 50, 0, "")
		write("5000")
		stop()
	}()
	g := goingOn(ctx, proc, time.Minute, []int32{10, 99}, map[int32]bool{13: true})
	seconds := time.Since(began).Seconds()
	if used := g.CPUs["busy"] * seconds; used < 0.8 || used > 1.2 || g.CPUs["idle"] != 0 {
		t.Errorf("%v CPU seconds, idle %v", used, g.CPUs["idle"])
	}
	if moved := g.Bytes[10] * seconds; moved < 4000 || moved > 6000 || g.Bytes[99] != 0 {
		t.Errorf("%v bytes, %v of nobody", moved, g.Bytes[99])
	}
}

// A process that is bound to a CPU tells how many those of the load may use.
func TestFewestCPUs(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	own := int32(os.Getpid())
	all := GoingOn(ctx, time.Second, nil, map[int32]bool{own: true, 1 << 30: true}).Fewest
	if all < 1 {
		t.Fatalf("%d CPUs", all)
	}
	bound := exec.Command("sleep", "60")
	if err := bound.Start(); err != nil {
		t.Fatal(err)
	}
	defer bound.Wait()
	defer bound.Process.Kill()
	var was, one unix.CPUSet
	if err := unix.SchedGetaffinity(bound.Process.Pid, &was); err != nil {
		t.Fatal(err)
	}
	for n := 0; one.Count() == 0; n++ {
		if was.IsSet(n) {
			one.Set(n)
		}
	}
	if err := unix.SchedSetaffinity(bound.Process.Pid, &one); err != nil {
		t.Skip(err)
	}
	if n := GoingOn(ctx, time.Second, nil, map[int32]bool{own: true, int32(bound.Process.Pid): true}).Fewest; n != 1 {
		t.Errorf("%d CPUs, not 1", n)
	}
}
