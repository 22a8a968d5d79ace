package imported

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ulikunitz/xz"

	"rtrail/internal/view"
)

// packed is a content packed by xz.
func packed(t *testing.T, content []byte) string {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func contentOf(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A sosreport has files of sar, and one copy of /proc, which tells no rates and is judged by itself.
func TestSosreport(t *testing.T) {
	at := time.Unix(1767322800, 0)
	entries := append(copyOf("sosreport-vm/", 100), entry{"sosreport-vm/proc/sys/vm/swappiness", "60\n", at}, entry{"sosreport-vm/var/log/sa/sar01", "Linux 6.1.0 (old) \t2026-01-01 \t_x86_64_\t(2 CPU)\n", at},
		entry{"sosreport-vm/var/log/sa/sar02", contentOf(t, "testdata/cpu/sar.txt"), at.Add(time.Hour)}, entry{"sosreport-vm/var/log/sa/sar03", "", at.Add(2 * time.Hour)},
		entry{"sosreport-vm/var/log/sa/sar.sh", "no file of a day", at.Add(3 * time.Hour)}, entry{"sosreport-vm/var/log/sa/sa04", "not of sar", at.Add(3 * time.Hour)})
	v := text(t, packed(t, archive(t, entries...)))
	if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.9 || v.Manifest().Host.Name != "vm" {
		t.Errorf("%+v of %s", total, v.Manifest().Host.Name)
	}
	notes := strings.Join(v.Manifest().Notes, "\n") + "\n"
	for _, want := range []string{"var/log/sa/sar02", "the newest of 3 files of sar", `its copy of /proc is left out: it is of host "db7", the files of sar are of "vm"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q lacks %q", notes, want)
		}
	}
	// The same, unpacked, with a link and a FIFO that nobody follows or waits for.
	dir := t.TempDir()
	for _, e := range entries {
		name := filepath.Join(dir, strings.TrimPrefix(e.name, "sosreport-vm/"))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(e.content), 0o600), os.Chtimes(name, e.at, e.at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("/proc/stat", filepath.Join(dir, "var/log/sa/sar09")), syscall.Mkfifo(filepath.Join(dir, "var/log/sa/sar08"), 0o600)); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, inJournal) // than what is read
	if err := errors.Join(os.MkdirAll(filepath.Dir(large), 0o700), os.WriteFile(large, nil, 0o600), os.Truncate(large, 5<<30)); err != nil {
		t.Fatal(err)
	}
	tailed := filepath.Join(dir, "sos_strings/logs/journalctl_--no-pager.tailed")
	if err := errors.Join(os.MkdirAll(filepath.Dir(tailed), 0o700), os.WriteFile(tailed, []byte(journal(sarAt, "kernel", "x")), 0o600), os.Chtimes(tailed, sarAt, sarAt)); err != nil {
		t.Fatal(err)
	}
	rec, held, err := Read(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(rec.Manifest().Notes, "\n"); !strings.Contains(notes, "/sos_strings/logs/journalctl_--no-pager.tailed, 1 line is of the time") {
		t.Errorf("unpacked: %q", notes)
	}
	if total, ok := view.New(rec, held.From, held.To).CPUTotal(); !ok || total.Busy() < 0.9 || !slices.ContainsFunc(rec.Manifest().Notes, func(n string) bool { return strings.Contains(n, "the newest of 3 files") }) {
		t.Errorf("unpacked: %+v, %q", total, rec.Manifest().Notes)
	}
	// Two copies of /proc tell more of the host.
	v = text(t, string(archive(t, append(append(entries, copyOf("1/", 200)...), copyOf("2/", 210)...)...)))
	if notes := strings.Join(v.Manifest().Notes, "\n"); !strings.Contains(notes, "not read beside copies of /proc") {
		t.Error(notes)
	}
}

// The copy of /proc in a sosreport is one look at the host beside the time of its files of sar.
func TestSosreportLook(t *testing.T) {
	for name, tc := range map[string]struct {
		zombies int
		host    string // of the copy
		found   string // "": nothing
		looks   bool
	}{
		"zombies":         {200, "vm", "proc/zombies", true},
		"healthy":         {0, "vm", "", true},
		"no name":         {200, "", "proc/zombies", true},
		"of another host": {200, "db7", "", false},
	} {
		list := looked(tc.zombies, 500, 100, 100)
		for i := range list {
			if strings.HasSuffix(list[i].name, "hostname") {
				list[i].content = tc.host + "\n"
			}
		}
		list = append(list, entry{"var/log/sa/sar02", contentOf(t, "testdata/cpu/sar.txt"), list[0].at})
		rec, held, err := Read(t.Context(), []string{write(t, string(archive(t, list...)))})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(rec.Manifest().Notes, "\n")
		if looks := held.Look != nil; looks != tc.looks || strings.Contains(notes, "is left out") == looks {
			t.Errorf("%s: a look %v, want %v; %q", name, looks, tc.looks, notes)
			continue
		}
		if total, ok := view.New(rec, held.From, held.To).CPUTotal(); !ok || total.Busy() < 0.9 {
			t.Errorf("%s: %+v", name, total)
		}
		if !tc.looks {
			continue
		}
		at := held.Look.Manifest().Started
		found := judgeOnce(t, name, view.New(held.Look, at, at))
		if !at.Equal(list[0].at) || len(found) > 1 || found[tc.found] != (tc.found != "") {
			t.Errorf("%s: found %v at %v, want %q", name, found, at, tc.found)
		}
		if notes := strings.Join(held.Look.Manifest().Notes, "\n"); !strings.Contains(notes, "its copy of /proc, one look") || strings.Contains(notes, "second one") {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// sadf reads what lies in an archive, or is packed, from memory.
func TestSarInMemory(t *testing.T) {
	if Sadf() == "" {
		t.Skip("sadf is not installed")
	}
	if _, _, err := Read(t.Context(), []string{"testdata/cpu/sar.bin"}); err != nil {
		t.Skipf("sadf of another release: %v", err)
	}
	content := contentOf(t, "testdata/cpu/sar.bin")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(content)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	at := time.Unix(1767322800, 0)
	for name, file := range map[string]string{"gzip": zipped.String(), "xz": packed(t, []byte(content)),
		"archive": string(archive(t, entry{"var/log/sa/sar02", contentOf(t, "testdata/us/mpstat.txt"), at.Add(time.Hour)}, entry{"var/log/sa/sa02", content, at}))} {
		if total, ok := text(t, file).CPUTotal(); !ok || total.Busy() < 0.9 {
			t.Errorf("%s: %+v", name, total)
		}
	}
}

// Where sadf does not read what sar wrote, as it knows few releases, what sar printed is read, else the
// copy of /proc.
func TestSarOfAnotherRelease(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sadf"), []byte("#!/bin/sh\necho 'Invalid system activity file' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	at := time.Unix(1767322800, 0)
	wrote, printed := entry{"var/log/sa/sa02", "\x96\xd5\x75\x21 of nobody", at}, entry{"sos_commands/sar/sar02", contentOf(t, "testdata/cpu/sar.txt"), at}
	empty := entry{"sos_commands/sar/sar02", sysstatBanner, at}
	for name, tc := range map[string]struct {
		entries []entry
		noted   string  // "": nothing
		seconds float64 // 0: one look
	}{
		"what sar printed":           {[]entry{wrote, printed}, "Invalid system activity file; sadf of another release may read it: run sadf -j FILE -- -A > sar.json on the host where it was made, and give that file; what sar printed is read in its place", 6},
		"in the other order":         {[]entry{printed, wrote}, "what sar printed is read in its place", 6},
		"what sar printed alone":     {[]entry{printed}, "", 6},
		"the copy of /proc":          {append(copyOf("", 100), wrote), "the copy of /proc is judged in its place", 0},
		"a text without any numbers": {append(copyOf("", 100), empty), "the copy of /proc is judged in its place", 0},
		"nor the text":               {append(copyOf("", 100), wrote, empty), "Invalid system activity file", 0},
	} {
		v := text(t, string(archive(t, tc.entries...)))
		about(t, name+": seconds", v.Seconds(), tc.seconds, 1)
		notes := strings.Join(v.Manifest().Notes, "\n")
		if tc.noted == "" && strings.Contains(notes, "in its place") || !strings.Contains(notes, tc.noted) {
			t.Errorf("%s: %q", name, notes)
		}
	}
	if _, _, err := Read(t.Context(), []string{write(t, string(archive(t, wrote)))}); err == nil || !strings.Contains(err.Error(), "Invalid system activity file") {
		t.Errorf("what sar wrote alone: %v", err)
	}
}

// sos writes what sar printed of each day while it collects, in no order: the banner tells the day.
func TestNewestOfSar(t *testing.T) {
	at := time.Unix(1767322800, 0)
	whole := contentOf(t, "testdata/cpu/sar.txt")
	text := func(day, host string) string {
		return strings.Replace(strings.Replace(whole, "11/26/26", day, 1), "(vm)", "("+host+")", 1)
	}
	for name, tc := range map[string]struct {
		entries []entry
		want    string // host in it
	}{
		"the older day written last":    {[]entry{{"sar25", text("11/25/26", "old"), at.Add(time.Hour)}, {"sar26", text("11/26/26", "new"), at}}, "new"},
		"the older day written first":   {[]entry{{"sar26", text("11/26/26", "new"), at.Add(time.Hour)}, {"sar25", text("11/25/26", "old"), at}}, "new"},
		"a day of the month before":     {[]entry{{"sar01", text("12/01/26", "new"), at}, {"sar30", text("11/30/26", "old"), at.Add(time.Hour)}}, "new"},
		"dates of the form of ISO":      {[]entry{{"sar20261231", text("2026-12-31", "old"), at.Add(time.Hour)}, {"sar20270101", text("2027-01-01", "new"), at}}, "new"},
		"one day, written twice":        {[]entry{{"a/sar26", text("11/26/26", "old"), at}, {"b/sar26", text("11/26/26", "new"), at.Add(time.Hour)}}, "new"},
		"a day that nobody understands": {[]entry{{"sar26", text("26-Nov", "new"), at.Add(time.Hour)}, {"sar25", text("11/25/26", "old"), at}}, "new"},
	} {
		v := view.New(readAll(t, []string{write(t, string(archive(t, tc.entries...)))}))
		if got := v.Manifest().Host.Name; got != tc.want {
			t.Errorf("%s: that of %s was read, %q", name, got, v.Manifest().Notes)
		}
	}
}

// Zeros pack to next to nothing.
func TestXZBomb(t *testing.T) {
	zeros := make([]byte, freely+(8<<20))
	for name, content := range map[string][]byte{
		"text":    append([]byte(sysstatBanner), zeros...),
		"archive": archive(t, entry{"var/log/messages", string(zeros), time.Unix(1767322800, 0)}),
	} {
		_, _, err := Read(t.Context(), []string{write(t, packed(t, content))})
		if err == nil || !strings.Contains(err.Error(), "cut out the time") && !strings.Contains(err.Error(), "tar bomb") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
