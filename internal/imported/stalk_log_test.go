package imported

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// What the kernel logged in the minute before a collection of pt-stalk is told as what was before. Nothing in it is
// of the time of the reports, of which its silence proves nothing.
func TestStalkLog(t *testing.T) {
	first, boot := time.Unix(1795704510, 8908264), time.Unix(1795642658, 0) // of testdata/stalk
	before := first.Add(-30 * time.Second)
	written := contentOf(t, "testdata/stalk-log/2026_11_26_14_50_00-dmesg")
	kill := func(at time.Time) string { return sinceBoot(at, boot, killedLine) }
	// statless is a collection without a copy of /proc/stat, counted one during which the kernel killed a process, of
	// the host or of a group.
	statless := func(list []entry) []entry {
		return slices.DeleteFunc(list, func(e entry) bool { return strings.HasSuffix(e.name, "-procstat") })
	}
	counted := func(list []entry) []entry {
		for i := range list {
			if strings.HasSuffix(list[i].name, "-procvmstat") {
				list[i].content = strings.Replace(list[i].content, "\noom_kill 23\n", "\noom_kill 22\n", 2)
			}
		}
		return list
	}
	const left, lines = "dmesg is left out: ", "dmesg, "
	for name, tc := range map[string]struct {
		log    string
		change func([]entry) []entry
		found  rule.Confidence // of mem/oom-kill
		noted  string
	}{
		"as pt-stalk writes it":        {written, nil, rule.Possible, lines + "10 lines are of shortly before the reports"},
		"a kill":                       {kill(before), nil, rule.Possible, lines + "1 line is of shortly before the reports"},
		"just before":                  {kill(first.Add(-time.Second)), nil, rule.Possible, lines + "1 line is"},
		"the kernel's clock is ahead":  {kill(first.Add(3 * time.Second)), nil, rule.Possible, lines + "1 line is"},
		"far ahead":                    {kill(first.Add(time.Hour)), nil, rule.Possible, lines + "1 line is"},
		"an hour before":               {kill(first.Add(-time.Hour)), nil, 0, lines + "0 lines are"},
		"a kill, counted later":        {kill(before), counted, rule.Possible, lines + "1 line is of shortly before the reports"},
		"counted, and none before":     {kill(first.Add(-time.Hour)), counted, 0, lines + "0 lines are"},
		"counted, and no log":          {"", counted, 0, ""},
		"a failed write":               {sinceBoot(before, boot, writeFailed), nil, 0, lines + "1 line is"},
		"lines without a time":         {killedLine + "\n", nil, 0, left + "no line of it has the time"},
		"with times of dmesg -T":       {clocked(before, killedLine), nil, 0, left + "no line of it has the time"},
		"nothing":                      {"", nil, 0, ""},
		"without a copy of /proc/stat": {kill(before), statless, 0, left + "there is no copy of /proc/stat beside it"},
	} {
		dir := t.TempDir()
		entries := stalkEntries(t, "stalk", "db7", "")
		if tc.change != nil {
			entries = tc.change(entries)
		}
		if tc.log != "" {
			entries = append(entries, entry{"db7/2026_11_26_14_50_00-dmesg", tc.log, first})
		}
		var files []string
		for _, e := range entries {
			file := filepath.Join(dir, filepath.Base(e.name))
			if err := os.WriteFile(file, []byte(e.content), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		packed := write(t, string(archive(t, entries...)))
		for form, paths := range map[string][]string{"directory": {dir}, "files": files, "archive": {packed}} {
			rec, held, err := Read(t.Context(), paths)
			if err != nil {
				t.Fatal(name, form, err)
			}
			v := view.New(rec, held.From, held.To)
			out := verdict.Judge(v, catalogue.For(v.Manifest()))
			sure := rule.Confidence(0)
			for _, f := range out.Findings {
				if f.Rule == "mem/oom-kill" {
					sure = f.Confidence
				}
				if f.Rule == "disk/errors" {
					t.Errorf("%s, %s: %v", name, form, f.Headline)
				}
			}
			if sure != tc.found {
				t.Errorf("%s, %s: %s, want %s", name, form, sure, tc.found)
			}
			if notJudged(out, "mem/oom-kill") != (sure == 0) || !notJudged(out, "disk/errors") {
				t.Errorf("%s, %s: its silence proves something: %+v", name, form, out.NotJudged)
			}
			notes := strings.Join(v.Manifest().Notes, "\n")
			if !strings.Contains(notes, tc.noted) || tc.log == "" && strings.Contains(notes, "dmesg") {
				t.Errorf("%s, %s: %q lacks %q", name, form, notes, tc.noted)
			}
		}
	}
}

// The log of another collection in the directory is not read.
func TestStalkLogOfAnother(t *testing.T) {
	dir := t.TempDir()
	for _, e := range stalkEntries(t, "stalk", "", "") {
		if err := os.WriteFile(filepath.Join(dir, e.name), []byte(e.content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written := contentOf(t, "testdata/stalk-log/2026_11_26_14_50_00-dmesg")
	if err := os.WriteFile(filepath.Join(dir, "2026_11_26_13_00_00-dmesg"), []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("2026_11_26_13_00_00-dmesg", filepath.Join(dir, "2026_11_26_14_50_00-dmesg")); err != nil {
		t.Fatal(err)
	}
	rec, _, err := Read(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(recording.Rows[recording.KernelLogLine](rec)); n != 0 || strings.Contains(strings.Join(rec.Manifest().Notes, "\n"), "dmesg") {
		t.Errorf("%d lines, %q", n, rec.Manifest().Notes)
	}
}
