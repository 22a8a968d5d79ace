package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/notify"
	"rtrail/internal/watch"
)

func TestWhereTheStateIs(t *testing.T) {
	somebody := []*notify.Target{{}}
	root := ""
	if os.Geteuid() == 0 {
		root = "/var/lib/rtrail/watch.json"
	}
	for _, c := range []struct {
		name, given, directory string
		targets                []*notify.Target
		want                   string
	}{
		{"nobody is told", "", "/var/lib/x", nil, ""},
		{"named", "s.json", "/var/lib/x", nil, "s.json"},
		{"systemd", "", "/var/lib/x:/var/lib/y", somebody, "/var/lib/x/watch.json"},
		{"else", "", "", somebody, root},
		{"not absolute", "", "x", somebody, root},
	} {
		t.Setenv("STATE_DIRECTORY", c.directory)
		n := nightWatch{state: c.given, targets: c.targets}
		if got := n.keeps(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A state that cannot be used is refused and left as it is; a link leads nowhere.
func TestOddStates(t *testing.T) {
	dir := t.TempDir()
	for name, create := range map[string]func(path string) error{
		"no JSON": func(path string) error { return os.WriteFile(path, []byte("\x00\x1b[2J"), 0o600) },
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"too large": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, watch.MaxState+1))
		},
		"a link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(dir, name)
		if err := create(path); err != nil {
			t.Fatal(err)
		}
		if k, s, err := openState(path, "h"); err == nil || k != nil || len(s.Faults) > 0 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of two watches with one state the first keeps it, until it ends.
func TestOneWatchPerState(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	k, _, err := openState(path, "h")
	if err != nil {
		t.Fatal(err)
	}
	if other, _, err := openState(path, "h"); err == nil || other != nil || !strings.Contains(err.Error(), "another watch") {
		t.Errorf("a second watch: %v", err)
	}
	if other, _, err := openState(filepath.Join(dir, "other.json"), "h"); err != nil || other.lock == nil {
		t.Errorf("one with a state of its own: %v", err)
	}
	k.start(func(text string) { t.Error(text) })
	if !k.close(watch.State{Format: watch.StateFormat, Host: "h", Saved: time.Now()}, time.Minute) {
		t.Error("not saved")
	}
	for range 2 { // an error lets go, too
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := openState(path, "h"); err == nil || strings.Contains(err.Error(), "another watch") {
			t.Errorf("after the first: %v", err)
		}
	}
	// What stands where the lock should be is not followed, and keeps nobody away.
	linked := filepath.Join(dir, "linked.json")
	if err := os.Symlink("/etc/passwd", linked+".lock"); err != nil {
		t.Fatal(err)
	}
	if k, _, err := openState(linked, "h"); err != nil || k.lock != nil {
		t.Errorf("beside a link: %v", err)
	}
}

// What is put is on the disk in the end, and read again.
func TestStateKeeper(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "state.json")
	k, _, err := openState(path, "h")
	if err != nil {
		t.Fatal(err)
	}
	k.start(func(text string) { t.Error(text) })
	now := time.Now()
	for i := range 100 {
		k.put(watch.State{Format: watch.StateFormat, Host: "h", Saved: now.Add(time.Duration(i))})
	}
	last := now.Add(time.Hour)
	if !k.close(watch.State{Format: watch.StateFormat, Host: "h", Saved: last}, time.Minute) {
		t.Error("not saved")
	}
	if _, s, err := openState(path, "h"); err != nil || !s.Saved.Equal(last) {
		t.Errorf("%v, saved %v", err, s.Saved)
	}
	var none *stateKeeper
	none.put(watch.State{})
	if none.close(watch.State{}, 0) {
		t.Error("nothing was kept")
	}
}
