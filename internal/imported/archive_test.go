package imported

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// entry is a file of an archive.
type entry struct {
	name, content string
	at            time.Time
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Size: int64(len(e.content)), ModTime: e.at, Mode: 0o600, Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// copyOf is a host with one busy process and one that sleeps, some seconds after it was started.
func copyOf(where string, after int) []entry {
	at := time.Unix(1767322800+int64(after), 0)
	busy, idle := after*100, 100
	return []entry{
		{where + "proc/stat", fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 0 0 0\ncpu0 %d 0 0 %d 0 0 0 0 0 0\nintr 9\nctxt %d\nbtime 1767300000\nprocesses 5\nprocs_running 9\nprocs_blocked 0\n", busy, idle, busy, idle, after*10), at},
		{where + "proc/meminfo", "MemTotal: 1000 kB\nMemFree: 500 kB\nMemAvailable: 600 kB\n", at},
		{where + "proc/pressure/cpu", fmt.Sprintf("some avg10=90.00 avg60=90.00 avg300=90.00 total=%d\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", after*900_000), at},
		{where + "proc/sys/kernel/hostname", "db7\n", at},
		{where + "proc/77/stat", fmt.Sprintf("77 (burn) R 1 1 1 0 -1 0 0 0 0 0 %d 0 0 0 20 0 2 0 100 1000 10 1\n", busy), at},
		{where + "proc/78/cmdline", "secret", at},
		{where + "proc/79/stat", "79 (crond) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 1000 10 1\n", at},
		{where + "proc/79/schedstat", "0 0 1\n", at},
	}
}

func TestArchive(t *testing.T) {
	together := archive(t, append(copyOf("sos-1/", 100), copyOf("sos-2/", 110)...)...)
	one, other := archive(t, copyOf("", 100)...), archive(t, copyOf("./", 110)...)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(together)
	_ = z.Close()
	for name, files := range map[string][][]byte{"one archive": {together}, "two": {other, one}, "compressed": {packed.Bytes()}} {
		var paths []string
		for _, b := range files {
			paths = append(paths, write(t, string(b)))
		}
		v := view.New(readAll(t, paths))
		if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.99 || v.Seconds() != 10 {
			t.Errorf("%s: %+v in %v s", name, total, v.Seconds())
		}
		if p, ok := v.Process(77); !ok || p.CPU < 0.99 || p.CPU > 1.01 {
			t.Errorf("%s: %+v", name, p)
		}
		out := verdict.Judge(v, catalogue.For(v.Manifest()))
		if len(out.Findings) != 1 || out.Findings[0].Rule != "cpu/saturated" || out.Host.Name != "db7" {
			t.Errorf("%s: %+v", name, out.Findings)
		}
		if !notJudged(out, "proc/uninterruptible") || !notJudged(out, "mem/leak") || notJudged(out, "proc/zombies") {
			t.Errorf("%s: judged what one file of a process does not tell", name)
		}
	}
}

func TestArchiveRefused(t *testing.T) {
	bomb := func() string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		_ = w.WriteHeader(&tar.Header{Name: "var/zeros", Size: 1 << 30, Typeflag: tar.TypeReg, ModTime: time.Unix(1767322800, 0)})
		zeros := make([]byte, 1<<20)
		for range 100 {
			_, _ = w.Write(zeros)
		}
		_ = z.Close()
		return b.String()
	}
	at := time.Unix(1767322800, 0)
	other := func(file, from, to string) string {
		list := copyOf("b/", 110)
		for i := range list {
			if strings.HasSuffix(list[i].name, file) {
				list[i].content = strings.Replace(list[i].content, from, to, 1)
			}
		}
		return string(archive(t, append(copyOf("a/", 100), list...)...))
	}
	cut := string(archive(t, entry{"proc/meminfo", "MemTotal: 1 kB\n", at}, entry{"proc/stat", strings.Repeat("cpu 1 2 3 4\n", 100), at}))[:1700]
	for name, tc := range map[string]struct{ text, want string }{
		"cut":     {cut, "no copy of /proc/stat in it; it is damaged or cut off after 2 files: unexpected EOF"},
		"at once": {cut[:520], "it is cut off after 1 file: unexpected EOF"},
		"stalk":   {string(archive(t, entry{"db7/2026_11_26_14_50_00-df", "x", at}, entry{"db7/2026_11_26_14_50_00-procstat", "x", at})), "none of the files of pt-stalk in it, as 2026_11_26_14_50_00-*, tells numbers"},
		"nothing": {string(archive(t, entry{"etc/passwd", "root", at})), "no copy of /proc/stat"},
		"large":   {string(archive(t, entry{"proc/stat", strings.Repeat("x", maxEntry+1), at})), "have more than"},
		"bomb":    {bomb(), "tar bomb"},
		"two":     {other("hostname", "db7", "db8"), `of host "db7", and of "db8"`},
		"restart": {other("proc/stat", "btime 1767300000", "btime 1767322000"), "after a restart"},
		"deep":    {string(archive(t, entry{strings.Repeat("a/", 60) + "proc/stat", "cpu 1 2 3 4\n", at})), "no copy"},
	} {
		_, _, err := Read(t.Context(), []string{write(t, tc.text)})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// holes is a file of tar that is one hole.
func holes(t *testing.T, name string, size int64) string {
	t.Helper()
	records := ""
	for _, r := range []string{"GNU.sparse.major=0", "GNU.sparse.minor=1", "GNU.sparse.numblocks=1", "GNU.sparse.map=0,0", fmt.Sprintf("GNU.sparse.size=%d", size)} {
		records += strconv.Itoa(len(r)+4) + " " + r + "\n" // of two digits
	}
	var b bytes.Buffer
	w, at := tar.NewWriter(&b), time.Unix(1767322800, 0)
	for _, f := range []entry{{"records", records, at}, {name, "", at}} {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.content)), ModTime: f.at, Mode: 0o600, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	// A Writer writes no such records: those are what the first file holds.
	all := b.Bytes()
	all[156] = tar.TypeXHeader
	copy(all[148:156], "        ")
	sum := 0
	for _, c := range all[:512] {
		sum += int(c)
	}
	copy(all[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return string(all)
}

// Holes in files of an archive are not unpacked: they take no room there, whatever their size.
func TestArchiveOfHoles(t *testing.T) {
	r := tar.NewReader(strings.NewReader(holes(t, "x/"+inBoot, 1<<20)))
	if h, err := r.Next(); err != nil || h.Name != "x/"+inBoot || h.Size != 1<<20 || h.Typeflag != tar.TypeReg || !sparse(h) {
		t.Fatalf("%+v, %v", h, err)
	}
	whole := string(archive(t, append(copyOf("1/", 100), copyOf("2/", 110)...)...))
	for name, size := range map[string]int64{"x/" + inBoot: maxLogFile, "x/sos_commands/sar/sar26": maxText, "x/2026_11_26_14_50_00-vmstat": maxText, "3/proc/stat": maxEntry} {
		began := time.Now()
		v := text(t, strings.Repeat(holes(t, name, size), 1000)+whole)
		if took := time.Since(began); took > 5*time.Second || v.Seconds() != 10 {
			t.Errorf("%s: %v for %v s of a host", name, took, v.Seconds())
		}
	}
}

// Files of pt-stalk beside copies of /proc are left out with a note.
func TestArchiveOfMore(t *testing.T) {
	beside := entry{"stalk/2026_11_26_14_50_00-vmstat", "x", time.Unix(1767322800, 0)}
	v := text(t, string(archive(t, append(append(copyOf("1/", 100), copyOf("2/", 110)...), beside)...)))
	if notes := strings.Join(v.Manifest().Notes, "\n"); !strings.Contains(notes, "files of pt-stalk in it are left out, as 2026_11_26_14_50_00-*") {
		t.Error(notes)
	}
}

// Links in an archive are not followed, whatever they are called.
func TestArchiveLinks(t *testing.T) {
	secret := write(t, "cpu  1 2 3 4\n")
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink} {
		if err := w.WriteHeader(&tar.Header{Name: "proc/stat", Linkname: secret, Typeflag: kind}); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	if _, _, err := Read(t.Context(), []string{write(t, b.String())}); err == nil || !strings.Contains(err.Error(), "no copy") {
		t.Error(err)
	}
}

// Links to open files are counted in no more folders than there may be copies, and within the memory of
// the run.
func TestArchiveManyLinks(t *testing.T) {
	links := func(name string, n int) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range n {
			if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf(name, i), Linkname: "socket:[1]", Typeflag: tar.TypeSymlink}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String() + string(archive(t, copyOf("", 100)...))
	}
	for _, tc := range []struct {
		name, file string
		n          int
		memory     int64
		want       string // "": it is read
	}{
		{"of one process", "proc/77/fd/%d", 10_000, 1 << 20, ""},
		{"in as many folders as there may be", "%d/proc/77/fd/1", maxTrees, 1 << 20, ""},
		{"in more", "%d/proc/77/fd/1", maxTrees + 1, 1 << 20, "more than 500 copies"},
		{"of many processes", "proc/%d/fd/1", 10_000, 1 << 20, budget.ErrSpent.Error()},
	} {
		memory := budget.New(tc.memory)
		_, _, err := Read(budget.With(t.Context(), memory), []string{write(t, links(tc.file, tc.n))})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q; %d bytes of memory used", tc.name, err, tc.want, memory.Used())
		}
	}
}

// An archive that is cut off is read as far as it goes.
func TestArchiveCutOff(t *testing.T) {
	whole := archive(t, append(append(copyOf("1/", 100), copyOf("2/", 110)...), copyOf("3/", 120)...)...)
	rec, held, err := Read(t.Context(), []string{write(t, string(whole[:len(whole)-6000]))})
	if err != nil {
		t.Fatal(err)
	}
	if held.To.Sub(held.From) < 10*time.Second || !strings.Contains(strings.Join(rec.Manifest().Notes, "\n"), "cut off") {
		t.Errorf("%v %v", held, rec.Manifest().Notes)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(archive(f, append(copyOf("1/", 100), copyOf("2/", 110)...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !isTar(b) {
			return
		}
		path := write(t, string(b))
		rec, held, err := Read(t.Context(), []string{path})
		if err != nil {
			return
		}
		v := view.New(rec, held.From, held.To)
		v.CPUTotal()
		v.Processes()
		_ = os.Remove(path)
	})
}
