package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is asked before privileges are given up opens no evidence; evidenceIn does,
// after it.
func TestCheckOpensNothing(t *testing.T) {
	dir := t.TempDir()
	dump, recorded := filepath.Join(dir, "dump.txt"), filepath.Join(dir, "packed")
	if err := errors.Join(os.WriteFile(dump, []byte("Thread 1 (LWP 7):\n#0  0x01 in wait () from /lib/x\n#1  0x02 in main ()\n"), 0o600),
		os.WriteFile(recorded, []byte("PK\x03\x04"), 0o600)); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	opened := func() bool {
		n, err := unix.Read(fd, make([]byte, 4096))
		return err == nil && n > 0
	}
	for _, c := range []struct {
		files []string
		want  evidence
		fails bool
	}{
		{[]string{dump}, ofStacks, false}, {[]string{dump, dump}, ofStacks, false}, {[]string{recorded}, ofRecording, false},
		{[]string{dump, recorded}, ofRecording, true}, {[]string{dump, "-"}, ofCaptures, false},
	} {
		d := diagnosis{length: time.Second, captureFlags: captureFlags{as: decodeAs{1: ""}}}
		if err := d.check(newRootCommand(), c.files); err != nil {
			t.Errorf("%q: %v", c.files, err)
		}
		if opened() {
			t.Errorf("%q: opened before privileges are given up", c.files)
		}
		if kind, err := evidenceIn(c.files); kind != c.want || (err != nil) != c.fails {
			t.Errorf("%q: %d, %v", c.files, kind, err)
		}
		if !opened() {
			t.Errorf("%q: looked into, but not seen here", c.files)
		}
	}
}

// What cannot be judged together, or at all, is refused with words about what was given.
func TestEvidenceRefused(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{"dump": "Thread 1 (LWP 7):\n#0  0x01 in wait () from /lib/x\n#1  0x02 in main ()\n", "packed": "PK\x03\x04", "other": "PK\x03\x04",
		"texts/a.txt": "hello", "half/segments/x": "", "rec/manifest.json": "{}"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(in(name)), 0o700), os.WriteFile(in(name), []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		files []string
		want  string // "": it is opened
	}{
		"a recording":                  {[]string{"packed"}, ""},
		"two":                          {[]string{"packed", "other"}, "2 recordings given: one can be judged"},
		"one and stacks":               {[]string{"dump", "packed"}, in("packed") + " is a recording, which is judged alone"},
		"a directory of one":           {[]string{"rec"}, ""},
		"of one without its manifest":  {[]string{"half"}, ""},
		"of texts":                     {[]string{"texts"}, in("texts") + ": a directory, and no recording"},
		"of texts, and stacks":         {[]string{"dump", "texts"}, "give the files in it"},
		"of texts, and a recording":    {[]string{"packed", "texts"}, "give the files in it"},
		"a directory, and a recording": {[]string{"rec", "packed"}, "2 recordings given: one can be judged"},
	} {
		var files []string
		for _, f := range c.files {
			files = append(files, in(f))
		}
		kind, err := evidenceIn(files)
		if c.want == "" && (err != nil || kind != ofRecording) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %d, %v, want %q", name, kind, err, c.want)
		}
	}
}

// Where a host is watched first, a directory that is not there is no reason to lose what was seen; elsewhere writing says so.
func TestFolderOfOutput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(file, []byte("PK\x03\x04"), 0o600), os.MkdirAll(filepath.Join(dir, "deep/in"), 0o700), os.Symlink("deep/in", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for path, there := range map[string]bool{
		"": true, "page.html": true, "/dev/stdout": true, file: true, dir + "/page.html": true, dir + "/link/../in/page.html": true,
		dir + "/none/page.html": false, "none/page.html": false, file + "/page.html": false, dir + "/link/../page/page.html": false,
	} {
		err := checkFolders([]output{{"--flame", ""}, {"--html", path}})
		if (err == nil) != there || err != nil && !strings.Contains(err.Error(), "--html "+path+": there is no directory") {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, c := range []struct {
		args  []string
		fails bool
	}{{nil, true}, {[]string{file}, false}} {
		d := diagnosis{length: time.Second}
		d.html = dir + "/none/page.html"
		if err := d.check(newRootCommand(), c.args); (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), "there is no directory") {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}
