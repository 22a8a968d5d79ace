package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

// fakeLoad is a driver without a server.
type fakeLoad struct {
	takes time.Duration
	fails func(level load.Level) error
}

func (f *fakeLoad) Run(ctx context.Context, level load.Level, _ load.Limits, tell load.Telling) (load.Outcome, error) {
	o := load.Outcome{Began: time.Now(), Load: bench.UnknownLoad(), Alone: bench.UnknownLoad(), Generator: load.UnknownUsage()}
	tell.Output("a line")
	sleep(ctx, f.takes)
	o.Ended = time.Now()
	if f.fails != nil {
		if err := f.fails(level); err != nil {
			o.Gone = true
			return o, err
		}
	}
	o.Load.TPS = 100
	return o, ctx.Err()
}

// fakeBench is a matrix without servers.
func fakeBench(t testing.TB, dir string, f *fakeLoad) *Bench {
	t.Helper()
	p, err := plan(two + "threads: [1, 2]\nrepeats: 2\n")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(folder.Close)
	return &Bench{
		Plan: p, Folder: folder,
		Driver: func(*Step) (load.Driver, error) { return f, nil },
		Sources: func(*Step) (Sources, error) {
			return Sources{Probes: func(func() *recording.Recording) []probe.Probe { return nil }}, nil
		},
		Ready: func(context.Context, *Environment) error { return nil },
		Prepare: func(context.Context, *Environment) (map[string]string, error) {
			return map[string]string{"version": "1"}, nil
		},
		Finished: func(*bench.Run) error { return nil },
		Say:      func(string, ...any) {},
	}
}

// madeOnce says which runs a folder has.
func names(f *Folder) (list []string) {
	for i := range f.Runs {
		r := &f.Runs[i]
		list = append(list, fmt.Sprintf("%s %d %d", r.Environment, r.Threads, r.Repeat))
	}
	return list
}

var all = []string{"a 1 1", "a 2 1", "b 1 1", "b 2 1", "a 1 2", "a 2 2", "b 1 2", "b 2 2"}

func TestWholeMatrix(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	b := fakeBench(t, dir, &fakeLoad{takes: time.Millisecond})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, names(b.Folder)); diff != "" {
		t.Error(diff)
	}
	r := &b.Folder.Runs[0]
	if r.Properties["version"] != "1" || r.Settings["seconds"] != "1" || r.Recording != "steps/0001/recording" {
		t.Errorf("%+v", r)
	}
	log, err := os.ReadFile(filepath.Join(dir, "steps", "0001", "load.txt"))
	if err != nil || !strings.Contains(string(log), "a line") {
		t.Errorf("%s %v", log, err)
	}
}

// A matrix that is stopped keeps what was whole, and goes on with the rest.
func TestStoppedAndResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	ctx, stop := context.WithCancel(t.Context())
	b := fakeBench(t, dir, &fakeLoad{takes: time.Millisecond})
	b.Finished = func(*bench.Run) error {
		if len(b.Folder.Runs) == 3 {
			stop()
		}
		return nil
	}
	err := b.Run(ctx)
	if in, ok := errors.AsType[*Incomplete](err); !ok || in.Whole != 3 || in.Of != 8 {
		t.Fatal(err)
	}
	b.Folder.Close()
	b = fakeBench(t, dir, &fakeLoad{takes: time.Millisecond})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, names(b.Folder)); diff != "" {
		t.Error(diff)
	}
}

const killedVariable = "RTRAIL_TEST_MATRIX"

func TestMain(m *testing.M) {
	dir := os.Getenv(killedVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	// What TestKilled kills.
	testing.Init()
	testing.Benchmark(func(tb *testing.B) {
		b := fakeBench(tb, dir, &fakeLoad{takes: 50 * time.Millisecond})
		_ = b.Run(context.Background())
		select {}
	})
}

// A kill loses at most the step that runs, whenever it comes.
func TestKilled(t *testing.T) {
	for _, after := range []int{1, 3} {
		dir := filepath.Join(t.TempDir(), "runs")
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), killedVariable+"="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		kept := func() int {
			text, _ := os.ReadFile(filepath.Join(dir, runsFile))
			return strings.Count(string(text), "\n")
		}
		for deadline := time.Now().Add(time.Minute); kept() < after && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		_ = child.Process.Kill()
		_ = child.Wait()
		n := kept()
		b := fakeBench(t, dir, &fakeLoad{takes: time.Millisecond})
		if len(b.Folder.Runs) != n || n < after {
			t.Fatalf("%d runs after a kill, of %d that were on the disk", len(b.Folder.Runs), n)
		}
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all, names(b.Folder)); diff != "" {
			t.Error(diff)
		}
		b.Folder.Close()
	}
}

// What fails at one level does not end the others, and is made again.
func TestFailedSteps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	b := fakeBench(t, dir, &fakeLoad{fails: func(l load.Level) error {
		if l.Threads == 2 {
			return errors.New("too many connections")
		}
		return nil
	}})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range b.Folder.Runs {
		r := &b.Folder.Runs[i]
		if bad := r.Threads == 2; bad != r.Unfinished || bad != (len(r.Invalid) > 0) {
			t.Errorf("%+v", r)
		}
	}
	b.Folder.Close()
	b = fakeBench(t, dir, &fakeLoad{})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(b.Folder.Runs); n != 12 { // four are there twice
		t.Error(n)
	}
}

// A server that vanishes ends the matrix with what is whole.
func TestServerVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	gone := errors.New("connection refused")
	made := 0
	b := fakeBench(t, dir, &fakeLoad{fails: func(load.Level) error {
		if made++; made > 3 {
			return gone
		}
		return nil
	}})
	b.Ready = func(context.Context, *Environment) error {
		if made > 3 {
			return gone
		}
		return nil
	}
	err := b.Run(t.Context())
	in, ok := errors.AsType[*Incomplete](err)
	if !ok || in.Whole != 3 || !errors.Is(err, gone) || !strings.Contains(err.Error(), "the same command goes on") {
		t.Fatal(err)
	}
	if last := b.Folder.Runs[len(b.Folder.Runs)-1]; len(b.Folder.Runs) != 4 || !last.Unfinished || len(last.Invalid) == 0 {
		t.Errorf("%+v", last)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	p, err := plan(two + "threads: [1]")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "runs")
	f, err := OpenFolder(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(dir, p); err == nil || !strings.Contains(err.Error(), "another rtrail bench") {
		t.Error(err)
	}
	f.Close()
	other := *p
	other.Seconds = 7
	mended, err := OpenFolder(dir, &other) // it holds no run yet
	if err != nil {
		t.Fatal(err)
	}
	mended.Close()
	if err := os.WriteFile(filepath.Join(dir, runsFile), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(dir, p); !errors.Is(err, ErrOtherPlan) {
		t.Error(err)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(full, p); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, runsFile), []byte("{no run\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(dir, &other); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Error(err)
	}
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "restarted")
	if err := restart(t.Context(), "echo 1 >> "+path+"; sleep 600 &"); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "1\n" {
		t.Errorf("%q", b)
	}
	if err := restart(t.Context(), "echo it is masked >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "it is masked") {
		t.Error(err)
	}
}

// A server that lets no more clients in ends a ladder: that, and nothing else, is concluded.
func TestRefused(t *testing.T) {
	for kind, refused := range map[string]bool{"mysql": true, "command": false} {
		b := fakeBench(t, filepath.Join(t.TempDir(), "runs"), &fakeLoad{fails: func(l load.Level) error {
			if l.Threads == 2 {
				return errors.New("FATAL: error 1040: Too many connections")
			}
			return nil
		}})
		b.Plan.Kind = kind
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range b.Folder.Runs {
			r := &b.Folder.Runs[i]
			want := refused && r.Threads == 2
			if r.Refused != want || want != (len(r.Saturated) == 1 && r.Saturated[0].Rule == "mysql/connections-exhausted") {
				t.Errorf("%s: %+v", kind, r)
			}
		}
	}
}
