package imported

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/view"
)

// A collection of which one file is short is read without it, in a directory, by its files, and in an archive.
func TestShortOfACollection(t *testing.T) {
	const trigger = "2026_11_26_14_50_00"
	whole := func(kind string) string { return contentOf(t, "testdata/stalk/"+trigger+"-"+kind) }
	// until cuts off all from where something stands again.
	until := func(kind, again string) string {
		s := whole(kind)
		return s[:1+strings.Index(s[1:], again)+1]
	}
	top := whole("top")
	banner := "Linux 6.18.44-fc-v657 (vm) \t11/26/26 \t_x86_64_\t(2 CPU)\n\n"
	for name, tc := range map[string]struct {
		kind, content string
		want          string // of the note; "": there is none
	}{
		"whole":                         {"top", top, ""},
		"empty":                         {"vmstat", "", ""},
		"vmstat with a header":          {"vmstat", vmstatHead, "-vmstat as vmstat: there is no report in it"},
		"iostat with a header":          {"iostat", banner + iostatHead, "-iostat as iostat: there is no report in it"},
		"mpstat with a header":          {"mpstat", banner + "14:48:29     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n", "-mpstat as mpstat: there is no report in it"},
		"top with one report":           {"top", top[:strings.Index(top, "\ntop - ")+1], "-top: it holds one report of top"},
		"one copy of /proc/stat":        {"procstat", until("procstat", "\nTS "), "-procstat: it holds one report of pt-stalk"},
		"one copy of /proc/meminfo":     {"meminfo", until("meminfo", "\nTS "), "-meminfo: it holds one report of pt-stalk"},
		"one copy of /proc/diskstats":   {"diskstats", until("diskstats", "\nTS "), "-diskstats: it holds one report of pt-stalk"},
		"top in another language":       {"top", contentOf(t, "testdata/de/top.txt"), "-top as top: line"},
		"no answer of MySQL":            {"variables", "SHOW GLOBAL VARIABLES\n", "-variables: there is no answer of MySQL in it"},
		"one moment of MySQL":           {"variables", variables, "-variables: left out, as there is no second moment in it"},
		"MySQL that was started again":  {"mysqladmin", strings.Repeat(asked("100"), 2) + asked("1"), "Uptime goes from 100 to 1"},
		"a copy of /proc that ends":     {"procstat", until("procstat", "\nTS ")[:200], "there is no whole copy of /proc/stat in it"},
		"several copies, and then none": {"procstat", whole("procstat")[:len(whole("procstat"))*2/3], ""},
	} {
		dir := t.TempDir()
		var packed []entry
		for _, e := range append(stalkEntries(t, "stalk", "", ""), entry{name: trigger + "-" + tc.kind}) {
			if strings.HasSuffix(e.name, "-"+tc.kind) {
				if e.content = tc.content; !e.at.IsZero() {
					continue // the last one is it
				}
				e.at = packed[0].at
			}
			packed = append(packed, e)
			if err := os.WriteFile(filepath.Join(dir, e.name), []byte(e.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, err := filepath.Glob(dir + "/*")
		if err != nil {
			t.Fatal(err)
		}
		for how, given := range map[string][]string{"directory": {dir}, "files": files, "archive": {write(t, string(archive(t, packed...)))}} {
			rec, held, err := Read(t.Context(), given)
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
				continue
			}
			notes := strings.Join(rec.Manifest().Notes, "\n")
			if !strings.Contains(notes, tc.want) || strings.Contains(notes, "left out: ") && tc.want == "" {
				t.Errorf("%s, %s: %q, want %q", name, how, notes, tc.want)
			}
			if total, ok := view.New(rec, held.From, held.To).CPUTotal(); !ok || total.Busy() < 0.2 {
				t.Errorf("%s, %s: %+v from %v to %v", name, how, total, held.From, held.To)
			}
		}
	}
}

// asked is an answer of mysqladmin of a server that was started so many seconds ago.
func asked(uptime string) string {
	return "+---------------+-------+\n| Variable_name | Value |\n+---------------+-------+\n| Uptime | " + uptime + " |\n+---------------+-------+\n"
}

// Where nothing is left of a collection the first error says why; reports that are no part of one are refused as before.
func TestNothingOfACollection(t *testing.T) {
	dir := t.TempDir()
	short := map[string]string{"vmstat": vmstatHead, "variables": "SHOW GLOBAL VARIABLES\n"}
	var packed []entry
	for kind, content := range short {
		packed = append(packed, entry{"x/2026_11_26_14_50_00-" + kind, content, stalkEntries(t, "stalk", "", "")[0].at})
		if err := os.WriteFile(filepath.Join(dir, "2026_11_26_14_50_00-"+kind), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for how, given := range map[string][]string{
		"directory": {dir}, "archive": {write(t, string(archive(t, packed...)))}, "besides": {"testdata/cpu/vmstat-t.txt", write(t, vmstatHead)},
	} {
		if _, _, err := Read(t.Context(), given); err == nil || !strings.Contains(err.Error(), "as vmstat: there is no report in it") {
			t.Errorf("%s: %v", how, err)
		}
	}
	one := []string{write(t, "TS 1767322800.5 x\ncpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n"), "testdata/stalk/2026_11_26_14_50_00-procstat"}
	if _, _, err := Read(t.Context(), one); err == nil || !strings.Contains(err.Error(), "it holds one report of pt-stalk") {
		t.Error(err)
	}
}
