package imported

import (
	"archive/tar"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
)

const (
	killedLine  = "Out of memory: Killed process 77 (java) total-vm:9034636kB, anon-rss:7896144kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0"
	groupLine   = "Memory cgroup out of memory: Killed process 78 (java) total-vm:9034636kB, anon-rss:7896144kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0"
	writeFailed = "blk_update_request: I/O error, dev sdz, sector 4711 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 0"
	readFailed  = "blk_update_request: I/O error, dev sdz, sector 4711 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0"

	inJournal = "sos_commands/logs/journalctl_--no-pager"
	inClock   = "sos_commands/kernel/dmesg_-T"
	inBoot    = "sos_commands/kernel/dmesg"
)

// sarAt is the time of the reports in testdata/cpu/sar.txt, by the clock of its host.
var sarAt = time.Date(2026, 11, 26, 14, 35, 20, 0, time.Local)

// journal is a line as journalctl prints it.
func journal(at time.Time, who, text string) string {
	return at.Format("Jan 02 15:04:05") + " vm " + who + ": " + text + "\n"
}

// clocked and counted are one as dmesg prints it with -T, and without, of a host that was started at some time.
func clocked(at time.Time, text string) string {
	return "[" + at.Format("Mon Jan _2 15:04:05 2006") + "] " + text + "\n"
}

func sinceBoot(at, boot time.Time, text string) string {
	return fmt.Sprintf("[%12.6f] %s\n", at.Sub(boot).Seconds(), text)
}

// The kernel log of a sosreport is judged by the time of its files of sar, whatever form it has there, and
// nothing of another time is.
func TestSosreportLog(t *testing.T) {
	const hour = time.Hour
	start := journal(sarAt.Add(-5*hour), "kernel", "Linux version 6.1.0") + journal(sarAt.Add(-5*hour), "systemd[1]", "Started.")
	whole := func(lines ...string) string {
		return start + strings.Join(lines, "") + journal(sarAt.Add(30*time.Minute), "cron[7]", "job")
	}
	// started is what is logged by a clock that is wrong, from a start of the host on.
	started := func(at time.Time) string {
		return journal(at, "kernel", "Linux version 6.1.0") + journal(at.Add(20*time.Second), "kernel", writeFailed) + journal(at.Add(30*time.Second), "systemd[1]", "Started.")
	}
	newYear := time.Date(2026, 1, 1, 0, 0, 12, 0, time.Local)
	of := func(host, log string) string { return strings.ReplaceAll(log, " vm ", " "+host+" ") }
	type files map[string]string
	for name, tc := range map[string]struct {
		files files
		found map[string]rule.Confidence
		blind bool // silence proves nothing
		noted string
	}{
		"a silent journal":      {files{inJournal: whole()}, nil, false, "0 lines are of the time"},
		"a kill":                {files{inJournal: whole(journal(sarAt, "kernel", killedLine))}, map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, "1 line is of the time"},
		"a kill of a group":     {files{inJournal: whole(journal(sarAt, "kernel", groupLine))}, map[string]rule.Confidence{"mem/cgroup-oom": rule.Certain}, false, ""},
		"a failed write":        {files{inJournal: whole(journal(sarAt, "kernel", writeFailed))}, map[string]rule.Confidence{"disk/errors": rule.Certain}, false, ""},
		"failed reads":          {files{inJournal: whole(journal(sarAt, "kernel", readFailed))}, map[string]rule.Confidence{"disk/errors": rule.Likely}, false, ""},
		"a minute before":       {files{inJournal: whole(journal(sarAt.Add(-time.Minute), "kernel", killedLine))}, map[string]rule.Confidence{"mem/oom-kill": rule.Possible}, false, ""},
		"an hour before":        {files{inJournal: whole(journal(sarAt.Add(-hour), "kernel", killedLine), journal(sarAt.Add(-hour), "kernel", writeFailed))}, nil, false, ""},
		"afterwards":            {files{inJournal: whole(journal(sarAt.Add(10*time.Minute), "kernel", killedLine), journal(sarAt.Add(10*time.Minute), "kernel", writeFailed))}, nil, false, ""},
		"the year before":       {files{inJournal: journal(sarAt, "kernel", killedLine) + journal(sarAt, "kernel", writeFailed) + journal(sarAt.AddDate(0, -9, 0), "kernel", "new year") + whole()}, nil, false, ""},
		"said by a program":     {files{inJournal: whole(journal(sarAt, "kernel[77]", killedLine), journal(sarAt, "app[78]", "kernel: "+killedLine), "    kernel: "+killedLine+"\n")}, nil, false, ""},
		"a journal that begins": {files{inJournal: journal(sarAt.Add(2*time.Second), "kernel", "x")}, nil, true, ""},
		"a kill in what is left": {files{inJournal: journal(sarAt.Add(2*time.Second), "kernel", killedLine)},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, true, ""},
		"one that ended last year": {files{inJournal: journal(sarAt.AddDate(0, 0, -20), "kernel", killedLine)}, nil, true, ""},
		"a clock that starts too early": {files{inJournal: start + journal(sarAt, "kernel", killedLine) + started(newYear) + journal(sarAt.Add(15*time.Minute), "kernel", "x")},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, true, "1 line is of the time"},
		"a clock that starts too late": {files{inJournal: start + journal(sarAt, "kernel", killedLine) + started(sarAt.AddDate(0, 0, 14)) + journal(sarAt.Add(15*time.Minute), "kernel", "x")},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, true, "1 line is of the time"},
		"a clock that was wrong before": {files{inJournal: journal(sarAt.Add(-6*hour), "kernel", killedLine) + started(newYear) + whole(journal(sarAt, "kernel", killedLine))},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, "1 line is of the time"},
		"a year, and a pause":          {files{inJournal: journal(sarAt, "kernel", killedLine) + journal(newYear, "kernel", "x") + journal(sarAt.AddDate(0, 0, -9), "kernel", "x") + whole()}, nil, false, "0 lines are of the time"},
		"a journal without the kernel": {files{inJournal: strings.ReplaceAll(whole(journal(sarAt, "app[78]", "x")), "kernel:", "app[77]:")}, nil, true, ""},
		"a journal that ended":         {files{inJournal: start + journal(sarAt.Add(-hour), "kernel", "x")}, nil, true, ""},
		"a journal that is quiet":      {files{inJournal: start + journal(sarAt.Add(-10*time.Minute), "kernel", "x")}, nil, false, ""},
		"a journal that ended, and dmesg -T": {files{inJournal: start + journal(sarAt.Add(-hour), "kernel", "x"), inClock: clocked(sarAt.Add(-2*hour), "Linux") + clocked(sarAt, writeFailed)},
			map[string]rule.Confidence{"disk/errors": rule.Certain}, false, inClock + ","},
		"a silent dmesg -T": {files{inClock: clocked(sarAt.Add(-2*hour), "Linux")}, nil, false, ""},
		"that since boot, shorter": {files{inJournal + "_--boot": journal(sarAt.Add(2*time.Second), "kernel", "x"), inJournal: whole(journal(sarAt, "kernel", killedLine))},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, inJournal + ","},
		"of an older sos": {files{inJournal + "_--catalog_--boot": "-- Logs begin at Thu 2026-11-26 --\n" + whole(journal(sarAt, "kernel", killedLine))},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, ""},
		"dmesg -T": {files{inClock: clocked(sarAt.Add(-hour), "Linux") + clocked(sarAt, writeFailed)}, map[string]rule.Confidence{"disk/errors": rule.Certain}, false, "some minutes off"},
		"dmesg -T with callers": {files{inClock: clocked(sarAt.Add(-hour), "[    T0] Linux") + clocked(sarAt, "[  C123] "+writeFailed)},
			map[string]rule.Confidence{"disk/errors": rule.Certain}, false, ""},
		"dmesg, of which no zone is known": {files{inBoot: sinceBoot(sarAt, sarAt.Add(-hour), killedLine)}, nil, true, "the kernel log in it is left out: it counts from the start"},
		"of another host":                  {files{inJournal: of("db7", whole(journal(sarAt, "kernel", killedLine)))}, nil, true, `is of host "db7", the reports are of "vm"`},
		"with a domain": {files{inJournal: of("VM.example.com", whole(journal(sarAt, "kernel", killedLine)))},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, ""},
		"before the name is set": {files{inJournal: of("localhost", start) + whole(journal(sarAt, "kernel", killedLine)) + of("localhost", journal(sarAt.Add(31*time.Minute), "kernel", "x"))},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, ""},
		"cut by sos": {files{"sos_strings/logs/journalctl_--no-pager.tailed": whole(journal(sarAt, "kernel", killedLine))},
			map[string]rule.Confidence{"mem/oom-kill": rule.Certain}, false, ".tailed, 1 line is of the time"},
		"dmesg, cut by sos": {files{"sos_strings/kernel/dmesg_-T.tailed": clocked(sarAt.Add(-hour), "Linux") + clocked(sarAt, writeFailed)},
			map[string]rule.Confidence{"disk/errors": rule.Certain}, false, ""},
		"another file, cut by sos": {files{"sos_strings/logs/var.log.messages.tailed": whole(journal(sarAt, "kernel", killedLine))}, nil, true, ""},
		"dmesg of another folder":  {files{"other/" + inClock: clocked(sarAt.Add(-hour), "Linux") + clocked(sarAt, writeFailed)}, nil, true, "lies in another folder"},
		"another file":             {files{"var/log/messages": whole(journal(sarAt, "kernel", killedLine))}, nil, true, ""},
		"none":                     {files{}, nil, true, ""},
	} {
		list := []entry{{"host/sos_commands/sar/sar26", contentOf(t, "testdata/cpu/sar.txt"), sarAt.Add(hour)}}
		for file, content := range tc.files {
			if !strings.HasPrefix(file, "other/") {
				file = "host/" + file
			}
			list = append(list, entry{file, content, sarAt.Add(hour)})
		}
		v := text(t, string(archive(t, list...)))
		out := verdict.Judge(v, catalogue.For(v.Manifest()))
		for _, id := range []string{"mem/oom-kill", "mem/cgroup-oom", "disk/errors"} {
			sure := rule.Confidence(0)
			for _, f := range out.Findings {
				if f.Rule == id {
					sure = f.Confidence
				}
			}
			if sure != tc.found[id] {
				t.Errorf("%s: %s is %s, want %s", name, id, sure, tc.found[id])
			}
			if blind := tc.blind && tc.found[id] == 0; notJudged(out, id) != blind {
				t.Errorf("%s: %s not judged: %v, want %v", name, id, !blind, blind)
			}
		}
		if notes := strings.Join(v.Manifest().Notes, "\n"); !strings.Contains(notes, tc.noted) {
			t.Errorf("%s: %q lacks %q", name, notes, tc.noted)
		}
		if tc.blind && slices.Contains(out.Healthy, "disks") {
			t.Errorf("%s: healthy %q", name, out.Healthy)
		}
	}
}

// Beside files of sar that tell their time zone dmesg counts from when the copy of /proc says the host was started.
func TestSosreportLogExact(t *testing.T) {
	sar := contentOf(t, "testdata/cpu/sar.json")
	v := text(t, sar)
	boot := v.Start().Add(-1000 * time.Second).Truncate(time.Second)
	log := sinceBoot(boot, boot, "Linux version 6.1.0") + sinceBoot(v.Start().Add(time.Second), boot, killedLine) + sinceBoot(v.Start().Add(-500*time.Second), boot, writeFailed)
	for name, tc := range map[string]struct {
		stat, host, file, log string
		found                 bool
	}{
		"dmesg":                  {fmt.Sprintf("cpu  1 2 3 4\nbtime %d\n", boot.Unix()), "", inBoot, log, true},
		"a copy of this host":    {fmt.Sprintf("cpu  1 2 3 4\nbtime %d\n", boot.Unix()), v.Manifest().Host.Name, inBoot, log, true},
		"a copy of another host": {fmt.Sprintf("cpu  1 2 3 4\nbtime %d\n", boot.Unix()), "db7", inBoot, log, false},
		"no time of the start":   {"cpu  1 2 3 4\n", "", inBoot, log, false},
		"of no time zone":        {fmt.Sprintf("cpu  1 2 3 4\nbtime %d\n", boot.Unix()), "", inClock, clocked(v.Start().Add(time.Second), killedLine), false},
	} {
		at := v.End().Add(time.Minute)
		got := text(t, string(archive(t, entry{"proc/stat", tc.stat, at}, entry{"proc/sys/kernel/hostname", tc.host + "\n", at}, entry{"sos_commands/sar/sar26", sar, at}, entry{tc.file, tc.log, at})))
		out := verdict.Judge(got, catalogue.For(got.Manifest()))
		found := slices.ContainsFunc(out.Findings, func(f verdict.Finding) bool { return f.Rule == "mem/oom-kill" && f.Confidence == rule.Certain })
		if found != tc.found || notJudged(out, "disk/errors") == tc.found {
			t.Errorf("%s: %+v, %q", name, out.Findings, got.Manifest().Notes)
		}
	}
}

// Of a file that is cut off in the archive the end is not known.
func TestSosreportLogCutOff(t *testing.T) {
	before := sarAt.Add(-time.Hour)
	log := strings.Repeat(clocked(before, "x"), 200) + clocked(sarAt, writeFailed)
	list := append([]entry{{"host/sos_commands/sar/sar26", contentOf(t, "testdata/cpu/sar.txt"), sarAt}}, copyOf("host/", 100)...)
	whole := string(archive(t, append(list, entry{"host/" + inClock, log, sarAt})...))
	for name, tc := range map[string]struct {
		archive string
		cut     bool
	}{
		"whole": {whole, false}, "cut off": {whole[:len(whole)-2048], true}, // 1024 of which end an archive
	} {
		v := text(t, tc.archive)
		out := verdict.Judge(v, catalogue.For(v.Manifest()))
		found := slices.ContainsFunc(out.Findings, func(f verdict.Finding) bool { return f.Rule == "disk/errors" })
		if found == tc.cut || notJudged(out, "disk/errors") != tc.cut {
			t.Errorf("%s: found %v, not judged %v, %q", name, found, notJudged(out, "disk/errors"), v.Manifest().Notes)
		}
	}
}

// What a log holds besides is bounded, and no secret is kept.
func TestLogBounds(t *testing.T) {
	take := func(memory *budget.Budget, text string) *logFile {
		t.Helper()
		var l kernelLogs
		if err := l.take(memory, &tar.Header{Name: "x/" + inClock, ModTime: sarAt, Size: int64(len(text))}, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		return l.files[0]
	}
	var many strings.Builder
	for i := range 5 * maxLogLines {
		many.WriteString(clocked(sarAt.Add(time.Duration(i)*time.Second), "line"))
	}
	memory := budget.New(1 << 30)
	f := take(memory, many.String())
	if n := len(f.lines); n < maxLogLines || n > 2*maxLogLines || !f.lines[n-1].at.Equal(sarAt.Add((5*maxLogLines-1)*time.Second)) || memory.Used() != int64(n*(perLogLine+len("line"))) {
		t.Errorf("%d lines, %d bytes", n, memory.Used())
	}
	if begins, want := f.first.at, f.lines[0].at.Add(-time.Second); !begins.Equal(want) {
		t.Errorf("it is known from %v on, want %v", begins, want)
	}
	if f = take(budget.New(1000), many.String()); len(f.lines) == 0 || len(f.lines) > 20 || !f.last.at.Equal(sarAt.Add((5*maxLogLines-1)*time.Second)) {
		t.Errorf("%d lines in a thousand bytes", len(f.lines))
	}
	f = take(budget.New(1<<20), clocked(sarAt, strings.Repeat("x", 3*maxLine))+clocked(sarAt, "after"))
	if len(f.lines) != 2 || len(f.lines[0].text) != maxLogText || f.lines[1].text != "after" {
		t.Errorf("%d lines, the first of %d bytes", len(f.lines), len(f.lines[0].text))
	}
	list := []entry{{"sar26", contentOf(t, "testdata/cpu/sar.txt"), sarAt}, {inClock, clocked(sarAt, "Kernel command line: luks.password=h0rse \xff quiet"), sarAt}}
	rows := recording.Rows[recording.KernelLogLine](recordingOf(t, list))
	if len(rows) != 1 || strings.Contains(rows[0].Text, "h0rse") || !strings.HasPrefix(rows[0].Text, "Kernel command line: ") || strings.Contains(rows[0].Text, "\xff") {
		t.Errorf("%+v", rows)
	}
}

func recordingOf(t *testing.T, list []entry) *recording.Recording {
	t.Helper()
	rec, _, err := Read(t.Context(), []string{write(t, string(archive(t, list...)))})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func FuzzKernelLog(f *testing.F) {
	f.Add(byte(ofJournal), []byte(journal(sarAt, "kernel", killedLine)+journal(sarAt.AddDate(0, -9, 0), "app[7]", "x")))
	f.Add(byte(ofClock), []byte(clocked(sarAt, "[    T1] "+writeFailed)))
	f.Add(byte(ofBoot), []byte(sinceBoot(sarAt, sarAt.Add(-time.Hour), readFailed)))
	f.Fuzz(func(t *testing.T, form byte, b []byte) {
		file := &logFile{form: logForm(form % 3), written: sarAt}
		memory := budget.New(1 << 16)
		for line := range strings.Lines(string(b)) {
			file.line(memory, []byte(strings.TrimRight(line, "\r\n")))
		}
		for _, l := range file.lines {
			if len(l.text) > maxLogText {
				t.Fatalf("a line of %d bytes", len(l.text))
			}
			if at := file.when(l.logMoment, sarAt); file.form == ofJournal && at.After(sarAt.AddDate(2, 0, 0)) {
				t.Fatalf("a line of %v", at)
			}
		}
		if memory.Used() < 0 {
			t.Fatal(memory.Used())
		}
	})
}
