package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// inject is what pages, Markdown and lists would take for their own.
const inject = "\nFORGED line\n# FORGED\n|FORGED|;x 7\n</script></style></textarea>--><script>alert(1)</script><img src=x onerror=alert(1)>\"'><b onmouseover=alert(1)>&lt;`code` ``<img src=x>`` ```<img src=y> [link](javascript:alert(1))"

// wellPrinted fails the test where text from outside is more than text in what a
// run printed.
func wellPrinted(t *testing.T, p printed) {
	t.Helper()
	nothing := p.code == exitFailed && (strings.Contains(p.of, "--html") || strings.Contains(p.errs, "there is no TCP connection")) // to judge
	if p.code != exitOK && !nothing {
		t.Errorf("%q: exit %d\n%q", p.of, p.code, p.errs)
	}
	shown(t, p.of, p.out)
	shown(t, p.of+", standard error", p.errs)
	for _, text := range []string{p.out, p.errs} {
		if strings.Contains(text, "crashed (bug)") || strings.Contains(text, "panic:") {
			t.Errorf("%q: %s", p.of, text)
		}
	}
	args := strings.Fields(p.of)
	if slices.Contains(args, "--markdown") {
		for line := range strings.Lines(p.out) {
			if !strings.HasPrefix(line, "    ") && strings.Contains(withoutCode(line), "<img") {
				t.Errorf("%q: markup: %s", p.of, line)
			}
		}
	}
	if slices.Contains(args, "--json") && p.code == exitOK {
		isJSON(t, p)
	}
}

// withoutCode is a line of Markdown without its code spans (CommonMark 6.1): runs
// of as many backquotes begin and end one.
func withoutCode(line string) string {
	var out strings.Builder
	for line != "" {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			break
		}
		if at > 0 && line[at-1] == '\\' {
			out.WriteString(line[:at+1])
			line = line[at+1:]
			continue
		}
		out.WriteString(line[:at])
		line = line[at:]
		n := len(line) - len(strings.TrimLeft(line, "`"))
		fence, rest := line[:n], line[n:]
		end := -1
		for from := 0; from < len(rest); {
			next := strings.IndexByte(rest[from:], '`')
			if next < 0 {
				break
			}
			from += next
			m := len(rest[from:]) - len(strings.TrimLeft(rest[from:], "`"))
			if m == n {
				end = from + m
				break
			}
			from += m
		}
		if end < 0 {
			out.WriteString(fence)
			line = rest
			continue
		}
		line = rest[end:]
	}
	return out.String() + line
}

// isJSON wants one document of JSON after the other, each text without what a
// terminal obeys.
func isJSON(t *testing.T, p printed) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(p.out)); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%q prints no JSON: %v", p.of, err)
			return
		}
	}
}

// inventedHost has two samples of every table, ten seconds apart, with a text of
// somebody else's in every column.
func inventedHost(t testing.TB, say func(recording.Table, string) string) *recording.Recording {
	t.Helper()
	h := ruletest.New(2, 10)
	for i, number := range []int8{1, 100} {
		if err := h.Rec.Commit(recording.Invent(ruletest.Start.Add(time.Duration(i)*10*time.Second), number, say)); err != nil {
			t.Fatal(err)
		}
	}
	return h.Rec
}

// Whatever stands in any column of any table, all printers show it as text.
func TestHostileRowsAreShown(t *testing.T) {
	for name, text := range map[string]string{"controls": hostile, "markup": inject, "long": strings.Repeat("long\u202e", 5000), "not UTF-8": "a\xff\xfe\xc0\x80", "formula": "=cmd|' /C calc'!A0"} {
		hosts := map[string]*recording.Recording{
			"invented": inventedHost(t, func(recording.Table, string) string { return text }),
			"words and more": inventedHost(t, func(_ recording.Table, column string) string {
				if column == "proto" || column == "state" || column == "kind" {
					return "mysql"
				}
				return "a" + text
			}),
			"busy": busyHost().Rec,
		}
		for of, rec := range hosts {
			w, err := rec.Rewrite(func(_ recording.Table, column, have string) string {
				if of == "busy" && names[column] && have != "" {
					return have + text
				}
				return have
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range everyPrinter(t, onDisk(t, namedBy(rec.Manifest(), text), w)) {
				p.of = name + ", " + of + ": " + p.of
				wellPrinted(t, p)
				if text := "\n" + p.out + p.errs; strings.Contains(text, "\nFORGED") || strings.Contains(text, "\n# FORGED") || strings.Contains(text, "\n|FORGED") {
					t.Errorf("%q: a line is forged: %s", p.of, text)
				}
			}
		}
	}
}

// Pages hold no markup but their own, whatever captures and dumps hold.
func TestPagesHoldNoForeignMarkup(t *testing.T) {
	flat := strings.ReplaceAll(inject, "\n", " ")
	word := strings.ReplaceAll(flat, " ", "/")
	page := func(text string, write func(dir, text string) []string) (string, printed) {
		dir := t.TempDir()
		html := filepath.Join(dir, "page.html")
		p := runHere(append(write(dir, text), "--html", html)...)
		b, err := os.ReadFile(html)
		if err != nil {
			t.Fatalf("%v: %s", err, p.errs)
		}
		return string(b), p
	}
	for name, write := range map[string]func(dir, text string) []string{
		"capture": func(_, text string) []string {
			return []string{"packets", conversations(t, map[uint16][]string{
				80: {"GET /a" + text + " HTTP/1.1\r\nHost: " + text + "\r\n\r\n", "HTTP/1.1 500 " + text + "\r\nContent-Length: 0\r\n\r\n"},
				3306: {"", mysqlPacket(0, "\x0a8.0.36\x00\x07\x00\x00\x00abcdefgh\x00\xff\xf7\x21\x02\x00\xff\x8f\x15"+strings.Repeat("\x00", 10)+"ijklmnopqrst\x00caching_sha2_password\x00"),
					mysqlPacket(1, "\x8d\xa6\x0f\x00\x00\x00\x00\x01\x21"+strings.Repeat("\x00", 23)+"app\x00\x00"), mysqlPacket(2, "\x00\x00\x00\x02\x00\x00\x00"),
					mysqlPacket(0, "\x03select a from `"+text+"`"), mysqlPacket(1, "\xff\x26\x04#42S02Table 't."+text+"' doesn't exist")},
				6379: {"*2\r\n$3\r\nGET\r\n$" + strconv.Itoa(len(text)) + "\r\n" + text + "\r\n", "-ERR " + text + "\r\n"},
			})}
		},
		"gdb": func(dir, text string) []string {
			path := filepath.Join(dir, "a<img src=x onerror=alert(1)>.txt")
			write(t, path, "Thread 1 (Thread 0x7f (LWP 7) \""+text+"\"):\n#0  0x01 in wait"+text+" () from /lib/x"+text+"\n#1  0x02 in main ()\n")
			return []string{"stacks", path}
		},
		"collapsed": func(dir, text string) []string {
			path := filepath.Join(dir, "stacks.collapsed")
			write(t, path, "main"+text+";wait"+text+" 7\n"+text+" 8\n")
			return []string{"stacks", path, "--collapsed"}
		},
	} {
		plain, _ := page("a", write)
		for _, text := range []string{flat, word} {
			got, p := page(text, write)
			wellPrinted(t, p)
			shown(t, name, got)
			for _, tag := range []string{"<script", "</script", "<img", "<b ", "</style", "</textarea", "<!--", "-->"} {
				if n, want := strings.Count(strings.ToLower(got), tag), strings.Count(strings.ToLower(plain), tag); n != want {
					t.Errorf("%s: %d times %s, want %d", name, n, tag, want)
				}
			}
			if !strings.Contains(got, "alert(1)") && name != "capture" {
				t.Errorf("%s: the page does not have the text: the test shows nothing", name)
			}
		}
	}
}

// Stacks are written in lines that other programs read: a frame ends no line and
// begins no other frame, and a count stays the last word.
func TestCollapsedStacksStayInTheirLines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.txt")
	write(t, path, "Thread 1 (Thread 0x7f (LWP 7) \"t\"):\n#0  0x01 in wait"+hostile+"\u2028x ()\n#1  0x02 in main;forged 9 ()\n")
	p := runHere("stacks", path, "--collapsed")
	wellPrinted(t, p)
	if lines := strings.Split(strings.TrimSpace(p.out), "\n"); len(lines) != 1 || strings.Count(lines[0], ";") != 1 || !strings.HasSuffix(lines[0], " 1") {
		t.Errorf("%q", p.out)
	}
}

// namedBy is a manifest with a text of somebody else's at every place.
func namedBy(m recording.Manifest, text string) recording.Manifest {
	h := &m.Host
	h.Name, h.Kernel, h.Arch, h.OS, h.CgroupVersion, m.Tool = "db1"+text, text, text, text, text, text
	m.Notes = []string{"note" + text}
	m.Probes = []recording.ProbeInfo{{Name: "host" + text, Missing: "why" + text, Remedy: "how" + text}}
	return m
}

// FuzzRows has every printer show recordings in which each column of text
// holds something else: what is fuzzed, cut in pieces by new lines.
func FuzzRows(f *testing.F) {
	for i := range recordingPrinters {
		f.Add(uint8(i), int8(3), hostile)
		f.Add(uint8(i), int8(1), inject)
		f.Add(uint8(i), int8(0), "mysql\nReads\nanswers\nR\n/app\nHugePages\n99999999999\nhttp")
	}
	f.Fuzz(func(t *testing.T, printer uint8, number int8, text string) {
		if len(text) > 1<<16 || number < 0 {
			return
		}
		pieces, n := strings.Split(text, "\n"), 0
		h := ruletest.New(2, 10)
		m := h.Rec.Manifest()
		if len(text) < 1<<12 {
			m = namedBy(m, text)
		}
		w := recording.NewWriter(ruletest.Start)
		for i := range 2 {
			w.Take(recording.Invent(ruletest.Start.Add(time.Duration(i)*10*time.Second), number>>(1-i), func(recording.Table, string) string {
				n++
				return pieces[n%len(pieces)]
			}))
		}
		// Sealing 72 tables takes longer than all else: they are read from the journal.
		var d *recording.Directory
		t.Cleanup(func() { _ = d.Close() }) // when its files are gone
		dir := filepath.Join(t.TempDir(), "rec")
		d, err := recording.Create(dir, m, recording.Options{})
		if err == nil {
			err = d.Commit(w)
		}
		if err != nil {
			t.Fatal(err)
		}
		wellPrinted(t, runHere(append(slices.Clone(recordingPrinters[int(printer)%len(recordingPrinters)]), dir)...))
	})
}
