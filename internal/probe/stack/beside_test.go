package stack

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// beside samples a command beside nothing else, for a second and a half.
func besideCommand(t *testing.T, name string, args ...string) (stacks []recording.StackSample, notes []recording.UnseenNote) {
	t.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	pid := int32(cmd.Process.Pid)
	b := NewBeside(func() []int32 { return []int32{pid} })
	defer b.Close()
	rec := recording.New(recording.Manifest{Format: recording.FormatVersion})
	sample := func() {
		w := recording.NewWriter(time.Now())
		if err := b.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	for range 15 {
		sample()
		time.Sleep(100 * time.Millisecond)
	}
	if n := rec.Count(recording.Stacks); n > 0 {
		t.Errorf("%d rows before the end: their counts would be added up", n)
	}
	b.Closing()
	sample()
	return recording.Rows[recording.StackSample](rec), recording.Rows[recording.UnseenNote](rec)
}

func TestBesideBusy(t *testing.T) {
	stacks, notes := besideCommand(t, "sh", "-c", "while :; do :; done")
	if len(notes) > 0 {
		t.Skip(notes[0].Why)
	}
	n := int64(0)
	for _, s := range stacks {
		if s.Kind == recording.StackOnCPU {
			n += s.Count
		}
	}
	// Other tests want the CPUs, too.
	if n < 5 {
		t.Errorf("%d samples of a loop in a second: %+v", n, stacks)
	}
}

func TestBesideIdle(t *testing.T) {
	if stacks, notes := besideCommand(t, "sleep", "60"); len(stacks) > 0 || len(notes) > 0 {
		t.Errorf("a process that sleeps was looked at: %+v %+v", stacks, notes)
	}
}

func TestRestful(t *testing.T) {
	for text, want := range map[string]bool{
		"7 0x7ffd51820ff0 0x1 0xffffffff 0x0 0x0 0x0 0x7ffd51820fd8 0x7f814403a26f\n": followsFrames, // poll
		"202 0x134ea80 0x80 0x2 0x0 0x0 0x0 0x7f80ef421000 0x7f8143fc8a26\n":          false,         // futex
		"74 0x5 0x0 0x0 0x0 0x0 0x0 0x7f80ef421000 0x7f8143fc8a26\n":                  false,         // fsync
		"running\n": false,
		"":          false,
	} {
		dir := t.TempDir() + "/"
		if err := os.WriteFile(dir+"syscall", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, runs := restful(dir)
		if got != want {
			t.Errorf("%q: %v, want %v", strings.TrimSpace(text), got, want)
		}
		if runs != (text == "running\n") {
			t.Errorf("%q: runs is %v", strings.TrimSpace(text), runs)
		}
	}
	if rests, runs := restful(t.TempDir() + "/"); rests || runs {
		t.Error("a thread that has ended rests or runs")
	}
}

func TestProcessCPU(t *testing.T) {
	begun := processCPU(int32(os.Getpid()))
	for now := time.Now(); time.Since(now) < 60*time.Millisecond; {
	}
	if used := processCPU(int32(os.Getpid())) - begun; used < 0 || used > 5*time.Second {
		t.Errorf("used %v in a loop of 60 ms", used)
	}
	if got := processCPU(0); got != 0 {
		t.Errorf("%v of no process", got)
	}
}
