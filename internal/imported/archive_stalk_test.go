package imported

import (
	"archive/tar"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// stalkEntries are the files of a directory of testdata, in an archive, under another trigger if one is given.
func stalkEntries(t *testing.T, dir, folder, trigger string) (list []entry) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		if trigger != "" {
			name = trigger + name[len(trigger):]
		}
		list = append(list, entry{path.Join(folder, name), contentOf(t, f), time.Date(2026, 11, 27, 0, 0, 0, 0, time.Local)})
	}
	return list
}

// variables are a file of a collection that tells of one moment.
const variables = "Variable_name\tValue\nauto_increment_increment\t1\nmax_connections\t100\n"

// An archive of a directory of pt-stalk is read as that directory.
func TestArchiveOfStalk(t *testing.T) {
	rec, held, err := Read(t.Context(), []string{"testdata/stalk"})
	if err != nil {
		t.Fatal(err)
	}
	directory := view.New(rec, held.From, held.To)
	whole, late := stalkEntries(t, "stalk", "db7", ""), time.Date(2026, 11, 27, 0, 0, 0, 0, time.Local)
	reversed := slices.Clone(whole)
	slices.Reverse(reversed)
	earlier := stalkEntries(t, "stalk-mysql", "db7", "2026_11_25_00_00_00")
	const several = "of several collections of pt-stalk in it the last one was read, /db7/2026_11_26_14_50_00"
	for name, tc := range map[string]struct {
		entries []entry
		noted   string // "": none of archives
	}{
		"a directory":           {whole, ""},
		"at the top":            {stalkEntries(t, "stalk", ".", ""), ""},
		"in another order":      {reversed, ""},
		"after an earlier one":  {slices.Concat(earlier, whole), several},
		"before an earlier one": {slices.Concat(whole, earlier), several},
		"among an earlier one":  {slices.Concat(whole[:3], earlier, whole[3:]), several},
		"before a later one that tells of one moment": {append(slices.Clone(whole), entry{"db7/2026_11_27_00_00_00-variables", variables, late}), several},
		"after one":              {slices.Concat([]entry{{"db7/2026_11_27_00_00_00-variables", variables, late}}, whole), several},
		"with packets":           {append(slices.Clone(whole), entry{"db7/2026_11_26_14_50_00-tcpdump", "x", late}), "packets and stacks in it are left out: for tcpdump and stacktrace unpack it"},
		"with files not read":    {append(slices.Clone(whole), entry{"db7/2026_11_26_14_50_00-processlist", "nothing of MySQL", late}, entry{"db7/2026_11_26_14_50_00-ps", "x", late}), ""},
		"of two folders at once": {slices.Concat(stalkEntries(t, "stalk-mysql", "aa", "2026_11_26_14_50_00"), whole), several},
	} {
		v := text(t, string(archive(t, tc.entries...)))
		if !v.Start().Equal(directory.Start()) || !v.End().Equal(directory.End()) || v.Manifest().Host.Name != directory.Manifest().Host.Name || v.CPUCount() != directory.CPUCount() {
			t.Errorf("%s: %v to %v of %+v, want %v to %v of %+v", name, v.Start(), v.End(), v.Manifest().Host, directory.Start(), directory.End(), directory.Manifest().Host)
		}
		got, _ := v.CPUTotal()
		want, _ := directory.CPUTotal()
		about(t, name+": busy", got.Busy(), want.Busy(), 0)
		if n := len(v.Processes()); n != len(directory.Processes()) {
			t.Errorf("%s: %d processes, want %d", name, n, len(directory.Processes()))
		}
		notes := strings.Join(v.Manifest().Notes, "\n")
		if !strings.Contains(notes, tc.noted) || tc.noted == "" && (strings.Contains(notes, "collections") || strings.Contains(notes, "packets and stacks")) {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// What pt-stalk asked MySQL is read out of an archive, too.
func TestArchiveOfStalkMySQL(t *testing.T) {
	v := text(t, string(archive(t, stalkEntries(t, "stalk-mysql", "db7", "")...)))
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	if !slices.ContainsFunc(out.Findings, func(f verdict.Finding) bool { return f.Rule == "mysql/row-lock-wait" }) {
		t.Errorf("%+v", out.Findings)
	}
}

// One that is cut off is read as far as it goes.
func TestArchiveOfStalkCutOff(t *testing.T) {
	whole := archive(t, stalkEntries(t, "stalk", "db7", "")...)
	v := text(t, string(whole[:len(whole)*3/4]))
	if notes := strings.Join(v.Manifest().Notes, "\n"); !strings.Contains(notes, "cut off") || v.Seconds() <= 0 {
		t.Errorf("%v s, %q", v.Seconds(), notes)
	}
}

// Collections of a stranger are kept in bounds, in whatever order they come.
func TestStalkBounds(t *testing.T) {
	memory, s := budget.New(1<<20), stalkArchive{}
	take := func(i int, kind, content string, size int64) {
		t.Helper()
		name := fmt.Sprintf("x/2026_01_01_00_%02d_%02d-%s", i/60, i%60, kind)
		if err := s.take(memory, &tar.Header{Name: name, Size: size}, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 500 {
		take(i*7%500, "variables", variables, int64(len(variables)))
	}
	if len(s.kept) != maxPending || !s.others || memory.Used() > maxPending*int64(len(variables)) {
		t.Errorf("%d collections, others %v, %d bytes", len(s.kept), s.others, memory.Used())
	}
	b, err := os.ReadFile("testdata/stalk/2026_11_26_14_50_00-vmstat")
	if err != nil {
		t.Fatal(err)
	}
	lasting := string(b)
	take(400, "vmstat", lasting, int64(len(lasting))) // an earlier one than all that are kept
	take(497, "vmstat", lasting, int64(len(lasting)))
	take(497, "vmstat", lasting, int64(len(lasting))) // twice
	take(496, "variables", variables, int64(len(variables)))
	take(498, "iostat", "", maxText+1)
	if n := len(s.kept); n != 3 || !s.kept[2].lasts || s.kept[2].trigger != "2026_01_01_00_08_17" || s.kept[1].large == "" {
		t.Fatalf("%d collections: %+v", n, s.kept)
	}
	if want := 3*int64(len(variables)) + int64(len(lasting)); memory.Used() != want {
		t.Errorf("%d bytes, want %d", memory.Used(), want)
	}
	take(499, "top", "\x00\x01", 2)
	take(499, "vmstat", lasting, int64(len(lasting)))
	if want := int64(len(variables) + len(lasting)); len(s.kept) != 1 || memory.Used() != want {
		t.Errorf("%d collections, %d bytes, want %d", len(s.kept), memory.Used(), want)
	}
	if err := s.take(budget.New(10), &tar.Header{Name: "x/2027_01_01_00_00_00-vmstat", Size: 1000}, strings.NewReader(lasting)); err == nil {
		t.Error("more than fits into memory")
	}
	memory, s = budget.New(1<<20), stalkArchive{}
	for i := range 1000 {
		take(i*7%500, "dmesg", "[1.5] a\n[2.5] b\n", 16)
	}
	if memory.Used() != maxPending*2*(perLogLine+1) {
		t.Errorf("%d bytes of kernel logs", memory.Used())
	}
}
