package event_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"rtrail/internal/probe"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/allocs"
	"rtrail/internal/probe/event/blockio"
	"rtrail/internal/probe/event/buffers"
	"rtrail/internal/probe/event/cache"
	"rtrail/internal/probe/event/connects"
	"rtrail/internal/probe/event/drops"
	"rtrail/internal/probe/event/exec"
	"rtrail/internal/probe/event/files"
	"rtrail/internal/probe/event/offcpu"
	"rtrail/internal/probe/event/oncpu"
	"rtrail/internal/probe/event/opens"
	"rtrail/internal/probe/event/retransmits"
	"rtrail/internal/probe/event/syncs"
	"rtrail/internal/probe/event/syscalls"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("RTRAIL_LOAD"); what != "" {
		load(what)
		return
	}
	if os.Getenv("RTRAIL_ATTACH") != "" {
		attachForever()
		return
	}
	os.Exit(m.Run())
}

// sources are one of each kind.
func sources() []event.Source {
	all := []event.Source{exec.New(), oncpu.New(0), drops.New(), offcpu.New(0), syncs.New(), syncs.OfExt4(), syscalls.New(0), blockio.New(), cache.New(), files.New(), opens.New(), retransmits.New(), buffers.New(), buffers.Growing(), connects.New(), connects.Each()}
	if s, err := allocs.New(asleep(), 0); err == nil { // it needs root
		all = append(all, s)
	}
	return all
}

// asleep starts a program with a libc, which ends with this one.
var asleep = sync.OnceValue(func() int32 {
	sleeper := osexec.Command("sleep", "600")
	sleeper.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := sleeper.Start(); err != nil {
		panic(err)
	}
	time.Sleep(100 * time.Millisecond) // until it has mapped its libraries
	return int32(sleeper.Process.Pid)
})

// start starts a probe or skips the test.
func start(t *testing.T, o event.Options) *event.Probe {
	t.Helper()
	p := event.New(exec.New(), o)
	if err := p.Start(); err != nil {
		if missing, ok := errors.AsType[*probe.MissingError](err); ok && os.Geteuid() != 0 {
			t.Skip(missing)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func sample(t *testing.T, p *event.Probe) *recording.Recording {
	t.Helper()
	w := recording.NewWriter(time.Now())
	if err := p.Sample(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return rec
}

// A tracepoint that the kernel lacks costs what it tells, and that is said.
func TestWithout(t *testing.T) {
	event.LeaveOut(t, "sched_process_exit")
	p := start(t, event.Options{})
	notes := recording.Rows[recording.UnseenNote](sample(t, p))
	if len(notes) != 1 || !strings.Contains(notes[0].What, "exit") {
		t.Errorf("unseen: %+v", notes)
	}
	_ = osexec.Command("/bin/true").Run()
	p.Closing()
	kinds := map[string]int{}
	for _, e := range recording.Rows[recording.ProcessEvent](sample(t, p)) {
		kinds[e.Kind]++
	}
	if kinds[recording.ProcessExec] == 0 || kinds[recording.ProcessForked] == 0 || kinds[recording.ProcessExited] > 0 {
		t.Errorf("events: %v", kinds)
	}
	event.LeaveOut(t, "sched_process_exec")
	err := event.New(exec.New(), event.Options{}).Start()
	if missing, ok := errors.AsType[*probe.MissingError](err); !ok || !strings.Contains(missing.What, "sched_process_exec") {
		t.Errorf("without the tracepoint of exec: %v", err)
	}
}

// No source starts without a tracepoint that it needs, and each names it.
func TestEachWithout(t *testing.T) {
	start(t, event.Options{}).Close()
	loader := &kernel.Loader{}
	for i, s := range sources() {
		hooks := s.Object().Hooks
		for _, h := range hooks {
			if h.Without != "" || slices.ContainsFunc(hooks, func(other event.Hook) bool { return other.InsteadOf == h.Tracepoint }) {
				continue
			}
			t.Run(s.Name()+"/"+h.Tracepoint, func(t *testing.T) {
				event.LeaveOut(t, h.Tracepoint, h.InsteadOf)
				err := event.New(sources()[i], event.Options{Loader: loader}).Start()
				if missing, ok := errors.AsType[*probe.MissingError](err); !ok || !strings.Contains(missing.What, h.Tracepoint) || missing.How == "" {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

// Each source does without tracepoints that it can do without, and says what it lacks.
func TestEachWithoutMore(t *testing.T) {
	start(t, event.Options{}).Close()
	loader := &kernel.Loader{}
	for _, s := range sources() {
		var lacking, wanted []string
		for _, h := range s.Object().Hooks {
			if h.Without != "" {
				lacking, wanted = append(lacking, h.Tracepoint), append(wanted, h.Without)
			}
		}
		if len(lacking) == 0 {
			continue
		}
		t.Run(s.Name(), func(t *testing.T) {
			event.LeaveOut(t, lacking...)
			p := event.New(s, event.Options{Loader: loader})
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var got []string
			for _, n := range recording.Rows[recording.UnseenNote](sample(t, p)) {
				got = append(got, n.What)
			}
			if !slices.Equal(got, wanted) {
				t.Errorf("unseen: %q, want %q", got, wanted)
			}
		})
	}
}

// Requests of disks are seen without the tracepoints that tell when they are made and done.
func TestInstead(t *testing.T) {
	start(t, event.Options{}).Close()
	event.LeaveOut(t, "block_io_start", "block_io_done")
	p := event.New(blockio.New(), event.Options{})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sample(t, p)
	p.Closing()
	var programs []string
	for _, e := range recording.Rows[recording.EventProgram](sample(t, p)) {
		programs = append(programs, e.Program)
	}
	if want := []string{"completed", "inserted", "issued"}; !slices.Equal(programs, want) {
		t.Errorf("programs: %q", programs)
	}
}

// A program over its budget is detached, and what it saw before is kept.
func TestBudget(t *testing.T) {
	p := start(t, event.Options{Budget: 1e-9})
	sample(t, p)
	for began := time.Now(); time.Since(began) < 600*time.Millisecond; {
		_ = osexec.Command("/bin/true").Run()
	}
	rec := sample(t, p)
	notes := recording.Rows[recording.UnseenNote](rec)
	if len(notes) != 1 || !strings.Contains(notes[0].Why, "detached") || !strings.Contains(notes[0].How, "--event-budget") {
		t.Errorf("unseen: %+v", notes)
	}
	if recording.Rows[recording.ProcessEvent](rec) == nil {
		t.Error("no events of the time before")
	}
	if !slices.ContainsFunc(recording.Rows[recording.EventProgram](rec), func(e recording.EventProgram) bool { return e.Stopped }) {
		t.Error("no program is said to be stopped")
	}
	_ = osexec.Command("/bin/true").Run()
	if after := sample(t, p); len(after.Tables()) != 0 {
		t.Errorf("there are rows after it was detached: %v", after.Tables())
	}
}

// attachForever attaches and detaches, says so, and waits to be killed.
func attachForever() {
	loader := &kernel.Loader{} // reads the types of the kernel once
	var left []event.Source
	for range attaches {
		if len(left) == 0 {
			left = sources()
		}
		p := event.New(left[0], event.Options{Loader: loader})
		left = left[1:]
		err := p.Start()
		if err == nil {
			err = p.Sample(context.Background(), recording.NewWriter(time.Now()))
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("attached")
		if os.Getenv("RTRAIL_ATTACH") == "leave" {
			continue // without closing it
		}
		_ = p.Close()
	}
	time.Sleep(time.Minute)
}

const (
	killed   = 10
	attaches = 30
)

// 300 times attached, each source in turn, and killed at any point of it: nothing stays in the kernel.
func TestKilled(t *testing.T) {
	start(t, event.Options{}).Close()
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	before := loaded(t)
	for i := range killed {
		cmd := osexec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), "RTRAIL_ATTACH="+[]string{"leave", "close"}[i%2])
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := range attaches - i%3 { // some are killed in the middle
			if !lines.Scan() || lines.Text() != "attached" {
				t.Errorf("attach %d: %q", n, lines.Text())
				break
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	// The kernel frees programs a moment after their last descriptor.
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		after := loaded(t)
		left := slices.DeleteFunc(after, func(p string) bool { return slices.Contains(before, p) })
		if len(left) > 0 {
			others := held(t)
			left = slices.DeleteFunc(left, func(p string) bool { return others[strings.Fields(p)[1]] })
		}
		if len(left) == 0 {
			return
		}
		if time.Since(began) > 5*time.Second {
			t.Fatalf("left in the kernel: %q", left)
		}
	}
}

// No program takes the kernel long to verify: that delays the window, on a busy host
// by seconds.
func TestVerifiedFast(t *testing.T) {
	start(t, event.Options{}).Close()
	const most = 50_000 // steps; 100,000 take some 50 ms
	for _, s := range sources() {
		spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(s.Object().ELF))
		if err != nil {
			t.Fatal(err)
		}
		for name := range spec.Programs {
			alone := spec.Copy()
			maps.DeleteFunc(alone.Programs, func(n string, _ *ebpf.ProgramSpec) bool { return n != name })
			all, err := ebpf.NewCollectionWithOptions(alone, ebpf.CollectionOptions{Programs: ebpf.ProgramOptions{LogLevel: ebpf.LogLevelStats}})
			if err != nil {
				t.Logf("%s is not for this kernel: %v", name, err)
				continue
			}
			_, log, _ := strings.Cut(all.Programs[name].VerifierLog, "processed ")
			var steps int
			if _, err := fmt.Sscan(log, &steps); err != nil || steps > most {
				t.Errorf("%s of %s takes the verifier %d steps (%v), at most %d are wanted", name, s.Name(), steps, err, most)
			}
			all.Close()
		}
	}
}

// held gives the identifiers of programs that a process has open: those of tests beside
// this one, since what a killed process had open is closed.
func held(t *testing.T) map[string]bool {
	open, err := filepath.Glob("/proc/[0-9]*/fdinfo/*")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, path := range open {
		info, err := os.ReadFile(path)
		if err != nil {
			continue // it is closed
		}
		if _, id, ok := strings.Cut(string(info), "\nprog_id:\t"); ok {
			id, _, _ = strings.Cut(id, "\n")
			ids[id] = true
		}
	}
	return ids
}

// loaded lists the programs of all sources that are in the kernel.
func loaded(t *testing.T) (list []string) {
	const longest = 15 // of a name, BPF_OBJ_NAME_LEN
	ours := map[string]bool{}
	for _, s := range sources() {
		spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(s.Object().ELF))
		if err != nil {
			t.Fatal(err)
		}
		for name := range spec.Programs {
			ours[name[:min(len(name), longest)]] = true
		}
	}
	for id := ebpf.ProgramID(0); ; {
		next, err := ebpf.ProgramGetNextID(id)
		if errors.Is(err, os.ErrNotExist) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		id = next
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // it is gone
		}
		if info, err := p.Info(); err == nil && ours[info.Name] {
			list = append(list, fmt.Sprintf("%s %d", info.Name, id))
		}
		p.Close()
	}
}
