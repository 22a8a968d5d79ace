package session

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/document"
	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/cgroup"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/process"
	"rtrail/internal/probe/socket"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
	"rtrail/internal/report"
)

// thisHost are probes that run everywhere.
func thisHost() Options {
	people := census.New("/")
	return Options{
		What: "this host", Length: 3 * time.Second, Interval: 200 * time.Millisecond,
		Probes: []probe.Probe{host.New(host.FS{}), process.New(people), thread.New(people), socket.New(people), cgroup.New()},
		About:  recording.Manifest{Format: recording.FormatVersion, Host: host.Identify(host.FS{})},
	}
}

// verdictOf is the verdict on a window as JSON.
func verdictOf(t *testing.T, e *Evidence) string {
	t.Helper()
	var b bytes.Buffer
	if err := document.JSON(&b, report.NewDocument(e.Judge())); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestForgettingChangesNoVerdict: a window of this host is judged alike whether
// what was before it is there or forgotten.
func TestForgettingChangesNoVerdict(t *testing.T) {
	l := Start(thisHost())
	defer l.Close()
	e, err := l.Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rest := func() *Evidence {
		return &Evidence{Recording: e.Recording, From: e.From.Add(1500 * time.Millisecond), To: e.To}
	}
	all := e.Recording.Count(recording.Processes)
	want := verdictOf(t, rest())
	e.Recording.Forget(rest().From)
	if left := e.Recording.Count(recording.Processes); left == 0 || left >= all {
		t.Errorf("%d rows of processes are left of %d", left, all)
	}
	if diff := cmp.Diff(want, verdictOf(t, rest())); diff != "" {
		t.Errorf("(-with what was before +without)\n%s", diff)
	}
}

// TestReplay: windows of a recording on disk.
func TestReplay(t *testing.T) {
	o := thisHost()
	l := Start(o)
	defer l.Close()
	path := filepath.Join(t.TempDir(), "rec")
	dir, err := recording.Create(path, l.Recording().Manifest(), recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Into(dir)
	if err := l.Run(t.Context(), o.Length); err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	replay := Replay{Path: path, Window: Window{Length: 2 * time.Second}}
	e, err := replay.Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if length := e.To.Sub(e.From); length != 2*time.Second {
		t.Errorf("a window of %v", length)
	}
	at := Replay{Path: path, Window: Window{Length: time.Minute, At: func(held recording.Window) (time.Time, time.Time, string, error) {
		return held.From.Add(time.Second), time.Time{}, "", nil
	}}}
	later, err := at.Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(later.Notes) != 1 || !later.From.After(e.From) || later.To.Sub(later.From) > o.Length {
		t.Errorf("from %v to %v, notes %v", later.From, later.To, later.Notes)
	}
	replay.Length = time.Hour
	if e, err = replay.Evidence(t.Context()); err != nil || len(e.Notes) != 1 || e.To.Sub(e.From) > o.Length+time.Second {
		t.Errorf("an hour of %v: from %v to %v, notes %v, %v", o.Length, e.From, e.To, e.Notes, err)
	}
	at.At = func(held recording.Window) (time.Time, time.Time, string, error) {
		return held.From.Add(-time.Minute + time.Second), time.Time{}, "", nil
	}
	if e, err = at.Evidence(t.Context()); err != nil || len(e.Notes) != 1 || e.To.Sub(e.From) != time.Second {
		t.Errorf("from %v to %v, notes %v, %v", e.From, e.To, e.Notes, err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if dir, err = recording.Create(empty, recording.Manifest{}, recording.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	nothing := Replay{Path: empty}
	if _, err := nothing.Evidence(t.Context()); err == nil {
		t.Error("judged a recording without samples")
	}
}

// TestSlidingSessionIsBounded: a session without end keeps what it was told to.
func TestSlidingSessionIsBounded(t *testing.T) {
	began := time.Now()
	rec := recording.New(recording.Manifest{})
	s := &sliding{rec: rec, keep: time.Minute, forgot: began}
	most := 0
	for n := range 3600 {
		at := began.Add(time.Duration(n) * time.Second)
		w := recording.NewWriter(at)
		recording.Append(w, recording.SystemSample{At: at})
		if err := s.Commit(w); err != nil {
			t.Fatal(err)
		}
		most = max(most, rec.Count(recording.System))
		if held := rec.Count(recording.System); n >= 60 && held < 60 {
			t.Fatalf("%d seconds are held", held)
		}
	}
	if most > 92 {
		t.Errorf("%d seconds were held, want a minute and a half at most", most)
	}
}

func TestInterruptedSessionSaysSo(t *testing.T) {
	o := thisHost()
	o.Probes = o.Probes[:1]
	o.Length = time.Hour
	l := Start(o)
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	e, err := l.Evidence(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if v := e.Judge(); !v.Window.Interrupted || len(v.Notes) == 0 {
		t.Errorf("interrupted %v, notes %v", v.Window.Interrupted, v.Notes)
	}
}
