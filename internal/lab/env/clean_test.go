package env

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testID = "1a2b3c4d"

// writeState makes a state file with these lines.
func writeState(t *testing.T, name string, lines ...any) string {
	t.Helper()
	var text []byte
	for _, l := range lines {
		line, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	path := filepath.Join(statePath(t), name)
	if err := errors.Join(os.MkdirAll(statePath(t), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestThingsOfALab(t *testing.T) {
	const in = "/tmp/rtrail-lab-" + testID
	for _, test := range []struct {
		m  made
		ok bool
	}{
		{made{Kind: madeDir, Name: in}, true},
		{made{Kind: madeDir, Name: "/tmp/rtrail-lab-deadbeef"}, false},
		{made{Kind: madeDir, Name: "/etc"}, false},
		{made{Kind: madeDir, Name: "/etc/../tmp/rtrail-lab-" + testID}, false},
		{made{Kind: madeDir, Name: "rtrail-lab-" + testID}, false},
		{made{Kind: madeProcess, Name: "nginx", PID: 77, Start: 5}, true},
		{made{Kind: madeProcess, Name: "init", PID: 1, Start: 5}, false},
		{made{Kind: madeProcess, Name: "all", PID: -1, Start: 5}, false},
		{made{Kind: madeProcess, Name: "any", PID: 77}, false},
		{made{Kind: madeNetNS, Name: "rtrail-lab-" + testID + "-server"}, true},
		{made{Kind: madeNetNS, Name: "rtrail-lab-deadbeef-server"}, false},
		{made{Kind: madeNetNS, Name: "rtrail-lab-" + testID + "-/../prod"}, false},
		{made{Kind: madeNetNS, Name: "prod"}, false},
		{made{Kind: madeLink, Name: "rt1a2b3c12"}, true},
		{made{Kind: madeLink, Name: "eth0"}, false},
		{made{Kind: madeLink, Name: "rt1a2b3c"}, false},
		{made{Kind: madeLink, Name: "rt1a2b3c1/../x"}, false},
		{made{Kind: madeCgroup, Name: "/sys/fs/cgroup/cpu/rtrail-lab-" + testID + "-web"}, true},
		{made{Kind: madeCgroup, Name: "/sys/fs/cgroup/rtrail-lab-" + testID + "-web"}, true},
		{made{Kind: madeCgroup, Name: "/sys/fs/cgroup/system.slice/x/rtrail-lab-" + testID + "-web"}, false},
		{made{Kind: madeCgroup, Name: "/sys/fs/cgroup/cpu/rtrail-lab-deadbeef-web"}, false},
		{made{Kind: madeCgroup, Name: "/home/mallory/rtrail-lab-" + testID + "-web"}, false},
		{made{Kind: madeLoop, Name: in + "/data.img"}, true},
		{made{Kind: madeLoop, Name: "/var/lib/disk.img"}, false},
		{made{Kind: madeMount, Name: in + "/data"}, true},
		{made{Kind: madeMount, Name: "/home"}, false},
		{made{Kind: madeMount, Name: in + "/../../home"}, false},
		{made{Kind: madeFreeze, Name: in + "/data"}, true},
		{made{Kind: madeFreeze, Name: "/"}, false},
		{made{Kind: madeSwap, Name: "/dev/zram0"}, true},
		{made{Kind: madeSwap, Name: "/dev/sda2"}, false},
		{made{Kind: madeSwap, Name: "zram0"}, false},
		{made{Kind: madeZram, Name: "zram0"}, true},
		{made{Kind: madeZram, Name: "../block/sda"}, false},
		{made{Kind: madeSysctl, Name: ConntrackMax, Old: "65536"}, true},
		{made{Kind: madeSysctl, Name: ConntrackMax, Old: "x"}, false},
		{made{Kind: madeSysctl, Name: "kernel.core_pattern", Old: "1"}, false},
		{made{Kind: "file", Name: "/etc/cron.d/x", Old: "* * * * * root id"}, false},
		{made{Kind: "", Name: "/"}, false},
	} {
		if err := test.m.belongs(testID); (err == nil) != test.ok {
			t.Errorf("%s %q: %v; want it undone: %v", test.m.Kind, test.m.Name, err, test.ok)
		}
	}
}

// TestCleanLeavesWhatNoLabMade gives Clean a state file that names things of
// others, as a damaged or forged one could.
func TestCleanLeavesWhatNoLabMade(t *testing.T) {
	isolate(t)
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := writeState(t, testID+".json", header{ID: testID, Case: "x/y", PID: 1, Start: 1},
		made{Kind: "file", Name: precious, Old: "forged"},
		made{Kind: madeDir, Name: filepath.Dir(precious)},
		made{Kind: madeDir, Name: filepath.Join(os.TempDir(), "rtrail-lab-"+testID)})
	// A link where the lab's folder was leads nowhere.
	if err := os.Symlink(filepath.Dir(precious), filepath.Join(os.TempDir(), "rtrail-lab-"+testID)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if n, err := Clean(&out); n != 0 || err == nil || !strings.Contains(err.Error(), "labs make no such thing") {
		t.Errorf("%d cleaned, %v, %q", n, err, out.String())
	}
	if b, err := os.ReadFile(precious); err != nil || string(b) != "old" {
		t.Errorf("the file of others holds %q, %v", b, err)
	}
	if _, err := os.Stat(state); err != nil {
		t.Errorf("the state file, that could not be undone: %v", err)
	}
}

func TestCleanRefusesStateOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(t *testing.T, state string) error
		root  bool
		want  string
	}{
		"folder that all may write": {want: "may write", root: true,
			spoil: func(t *testing.T, state string) error { return os.Chmod(filepath.Dir(state), 0o777) }},
		"sticky folder": {want: "others can change",
			spoil: func(t *testing.T, state string) error { return os.Chmod(filepath.Dir(state), os.ModeSticky|0o777) }},
		"folder of another user": {want: "belongs to", root: true,
			spoil: func(t *testing.T, state string) error { return os.Chown(filepath.Dir(state), 4242, 4242) }},
		"file of another user": {want: "belongs to another user", root: true,
			spoil: func(t *testing.T, state string) error { return os.Chown(state, 4242, 4242) }},
		"link": {want: "symbolic link",
			spoil: func(t *testing.T, state string) error {
				elsewhere := filepath.Join(t.TempDir(), "x")
				return errors.Join(os.Rename(state, elsewhere), os.Symlink(elsewhere, state))
			}},
		"hard link": {want: "hard link",
			spoil: func(t *testing.T, state string) error {
				return os.Link(state, filepath.Join(filepath.Dir(filepath.Dir(state)), "x"))
			}},
		"file of another lab": {want: "claims to be of lab",
			spoil: func(t *testing.T, state string) error {
				return os.Rename(state, filepath.Join(filepath.Dir(state), "deadbeef.json"))
			}},
		"other file": {want: "no state file",
			spoil: func(t *testing.T, state string) error { return os.Rename(state, state+"x") }},
		"endless": {want: "larger than",
			spoil: func(t *testing.T, state string) error { return os.Truncate(state, maxState+1) }},
	} {
		t.Run(name, func(t *testing.T) {
			if test.root && os.Geteuid() != 0 {
				t.Skip("needs root")
			}
			isolate(t)
			useState(filepath.Join(t.TempDir(), "state"))
			folder := filepath.Join(os.TempDir(), "rtrail-lab-"+testID)
			state := writeState(t, testID+".json", header{ID: testID, PID: 1, Start: 1}, made{Kind: madeDir, Name: folder})
			if err := errors.Join(os.Mkdir(folder, 0o755), test.spoil(t, state)); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if n, err := Clean(&out); n != 0 || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%d cleaned, %v, %q; want %q", n, err, out.String(), test.want)
			}
			if _, err := os.Stat(folder); err != nil && name != "file of another lab" && name != "other file" {
				t.Errorf("the folder of a lab that may run: %v", err)
			}
		})
	}
}

// TestStateIsPrivate: the folder of an older version is closed to others.
func TestStateIsPrivate(t *testing.T) {
	isolate(t)
	if err := os.Chmod(statePath(t), 0o755); err != nil {
		t.Fatal(err)
	}
	e, err := New("test/state", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Cleanup()
	if info, err := os.Stat(statePath(t)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(statePath(t), e.ID+stateSuffix)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestCleanSparesFoldersOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	isolate(t)
	theirs, ours := filepath.Join(os.TempDir(), "rtrail-lab-deadbeef"), filepath.Join(os.TempDir(), "rtrail-lab-00000001")
	if err := errors.Join(os.Mkdir(theirs, 0o755), os.Chown(theirs, 4242, 4242), os.Mkdir(ours, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := Clean(&strings.Builder{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Errorf("a folder of another user: %v", err)
	}
	if _, err := os.Stat(ours); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that a lab left: %v", err)
	}
}

func TestReadJournalCutsTornTail(t *testing.T) {
	isolate(t)
	read := func(text string) (header, []made, error) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(statePath(t), testID+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		dir, err := openState(false)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		return readJournal(dir, testID+".json")
	}
	h, items, err := read(`{"id":"1a2b3c4d","case":"disk/full","pid":7,"start":99}` + "\n" + `{"kind":"mount","name":"/mnt"}` + "\n" + `{"kind":"loo`)
	if err != nil || h.ID != testID || len(items) != 1 || items[0].Name != "/mnt" {
		t.Errorf("%+v, %+v, %v", h, items, err)
	}
	for _, text := range []string{"", "garbage\n", `{"id":"1a2b`} {
		if _, _, err := read(text); !errors.Is(err, errTorn) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A process may claim an environment of any length: no more of it is read than a
// program can be started with.
func TestMarkedBounds(t *testing.T) {
	for name, c := range map[string]struct {
		at   int64
		want bool
	}{"first": {0, true}, "inside": {maxEnviron - 4096, true}, "beyond": {maxEnviron + 1, false}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "environ")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt([]byte(mark+"=0123456789abcdef\x00"), c.at)
			if err := errors.Join(err, f.Truncate(1<<30), f.Close()); err != nil {
				t.Fatal(err)
			}
			if got := markedIn(path, "0123456789abcdef"); got != c.want {
				t.Errorf("marked: %v", got)
			}
		})
	}
}
