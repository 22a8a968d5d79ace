package recording

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links in the place of whatever a recorder writes are not followed.
func TestLinksInARecording(t *testing.T) {
	for _, name := range []string{manifestFile, manifestFile + ".partial", journalFile, segmentsFolder} {
		t.Run(name, func(t *testing.T) {
			precious := filepath.Join(t.TempDir(), "precious")
			dir, c := t.TempDir(), newClock()
			if err := errors.Join(os.WriteFile(precious, []byte("old"), 0o600), os.Symlink(precious, filepath.Join(dir, name))); err != nil {
				t.Fatal(err)
			}
			if d, err := Create(dir, testHost, Options{Now: c.time}); err == nil {
				fill(t, d, c, rand.New(rand.NewPCG(1, 1)), 2, System, Processes)
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
			if b, err := os.ReadFile(precious); err != nil || string(b) != "old" {
				t.Errorf("the file that the link leads to: %q, %v", b, err)
			}
		})
	}
}

// What is recorded is for its owner and group only.
func TestModes(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "rec"), newClock()
	d := create(t, dir, Options{Now: c.time})
	fill(t, d, c, rand.New(rand.NewPCG(1, 1)), 2, System, Processes)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.rtr")
	if err := Pack(t.Context(), dir, out); err != nil {
		t.Fatal(err)
	}
	look := func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o027 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	}
	if err := errors.Join(filepath.WalkDir(dir, look), filepath.WalkDir(out, look)); err != nil {
		t.Error(err)
	}
}

// Root records into no directory that others can change.
func TestDirectoriesOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make directories of other users")
	}
	t.Setenv("SUDO_UID", "")
	t.Setenv("PKEXEC_UID", "")
	for name, test := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"all may write":    {func(dir string) error { return os.Chmod(dir, 0o777) }, "others than root may write"},
		"all may add":      {func(dir string) error { return os.Chmod(dir, 0o777|os.ModeSticky) }, "all users may write"},
		"of another user":  {func(dir string) error { return os.Chown(dir, 4242, 4242) }, "belongs to user 4242"},
		"group may write":  {func(dir string) error { return errors.Join(os.Chown(dir, 0, 4242), os.Chmod(dir, 0o770)) }, "others than root may write"},
		"below such a one": {func(dir string) error { return os.Chown(filepath.Dir(dir), 4242, 4242) }, "belongs to user 4242"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "rec")
			if err := errors.Join(os.Mkdir(dir, 0o755), test.spoil(dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := Create(dir, testHost, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("written there: %v, %v", left, err)
			}
		})
	}
}

// Root records where the user who called sudo says: into that user's own folders,
// and into new ones below.
func TestDirectoriesOfTheCaller(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make directories of other users")
	}
	t.Setenv("SUDO_UID", "4242")
	t.Setenv("SUDO_GID", "4242")
	for name, test := range map[string]struct {
		below string
		mode  os.FileMode
		want  string
	}{
		"own":               {"", 0o755, ""},
		"new":               {"rec", 0o755, ""},
		"new below new":     {"a/rec", 0o755, ""},
		"own, all may add":  {"", 0o777 | os.ModeSticky, "all users may write"},
		"own, all may move": {"", 0o777, "others than user 4242 may write"},
	} {
		t.Run(name, func(t *testing.T) {
			theirs := filepath.Join(t.TempDir(), "theirs")
			if err := errors.Join(os.Mkdir(theirs, 0o755), os.Chown(theirs, 4242, 4242), os.Chmod(theirs, test.mode)); err != nil {
				t.Fatal(err)
			}
			d, err := Create(filepath.Join(theirs, test.below), testHost, Options{})
			if err == nil {
				err = d.Close()
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Pack and readers follow no link in a recording: what it leads to would be sent
// along.
func TestPackFollowsNoLink(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]func(dir, segment string) error{
		"table":   func(dir, segment string) error { return os.Symlink(secret, filepath.Join(segment, "x.parquet")) },
		"journal": func(dir, segment string) error { return os.Symlink(secret, filepath.Join(segment, journalFile)) },
		"root":    func(dir, segment string) error { return os.Symlink(secret, filepath.Join(dir, journalFile)) },
		"segment": func(dir, segment string) error {
			elsewhere := filepath.Join(filepath.Dir(secret), "elsewhere")
			if err := errors.Join(os.Mkdir(elsewhere, 0o755), os.Rename(secret, filepath.Join(elsewhere, "x.parquet"))); err != nil {
				return err
			}
			return errors.Join(os.RemoveAll(segment), os.Symlink(elsewhere, segment))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
				t.Fatal(err)
			}
			dir, c := t.TempDir(), newClock()
			d := create(t, dir, Options{Now: c.time})
			fill(t, d, c, rand.New(rand.NewPCG(1, 1)), 2, System, Processes)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if err := place(dir, filepath.Join(dir, segmentsFolder, entries(t, dir)[0].String())); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "x.rtr")
			_ = Pack(t.Context(), dir, out) // refused, or made without
			if b, err := os.ReadFile(out); err == nil && strings.Contains(string(b), "SECRET") {
				t.Error("the file that the link leads to was packed")
			}
		})
	}
}
