package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test is the program under check, too: what it does is what the file says.
func TestMain(m *testing.M) {
	if os.Getenv("CORPUS_TEST_FAKE") != "" {
		os.Exit(pretend(os.Args[1:]))
	}
	os.Setenv("CORPUS_TEST_FAKE", "yes")
	os.Exit(m.Run())
}

var verdictOfOne = `{"findings": [{"rule": "net/resets", "subject": {"name": "10.0.0.2:80"}, "confidence": "certain", "headline": "no process listens",
	"evidence": [{"what": "3 SYNs"}], "explains": [{"rule": "rt/slow", "confidence": "likely"}, {"rule": "rt/guess", "confidence": "possible"}]}]}`

// pretend is what the file that the arguments name asks for.
func pretend(args []string) int {
	text, err := os.ReadFile(args[len(args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	switch order := strings.TrimSpace(string(text)); {
	case args[0] != "diagnose":
		fmt.Println("{}")
	case order == "crash":
		panic("made to")
	case order == "signal":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		time.Sleep(time.Minute)
	case order == "hang":
		time.Sleep(time.Minute)
	case order == "memory":
		var all [][]byte
		for range 100 {
			all = append(all, bytes.Repeat([]byte{1}, 8<<20))
			time.Sleep(5 * time.Millisecond)
		}
		fmt.Println(len(all))
	case order == "escape":
		fmt.Println(`{"x": "` + "\x1b[31m" + `"}`)
	case order == "bidi":
		fmt.Println(`{"x": "` + "\u202e" + `"}`)
	case order == "half":
		fmt.Println(`{"x": [`)
	case order == "silent":
		return 1
	case order == "refuse":
		fmt.Fprintln(os.Stderr, "there is nothing in it")
		return 1
	case order == "broken rule":
		fmt.Println(`{"not_judged": [{"rule": "net/x", "why": "it failed: index out of range"}]}`)
	case order == "find":
		fmt.Println(verdictOfOne)
	default:
		fmt.Println(`{"findings": []}`)
	}
	return 0
}

func TestFaultsAreTold(t *testing.T) {
	for _, tc := range []struct{ order, fault, what string }{
		{"fine", "", ""},
		{"refuse", "", ""},
		{"find", "", ""},
		{"crash", "crash", "panic: made to"},
		{"signal", "crash", "signal: killed"},
		{"hang", "hang", "not done after"},
		{"memory", "memory", "MB"},
		{"escape", "output", "U+001B"},
		{"bidi", "output", "U+202E"},
		{"half", "output", "not JSON"},
		{"silent", "output", "did not say why"},
		{"broken rule", "crash", "net/x it failed"},
	} {
		t.Run(tc.order, func(t *testing.T) {
			r := checkOne(t, tc.order)
			if tc.fault == "" {
				if len(r.Faults) > 0 {
					t.Fatalf("%+v", r.Faults)
				}
				return
			}
			if len(r.Faults) != 1 || r.Faults[0].Kind != tc.fault || !strings.Contains(r.Faults[0].What, tc.what) {
				t.Fatalf("%+v, want one %s: %s", r.Faults, tc.fault, tc.what)
			}
		})
	}
}

func checkOne(t *testing.T, order string) result {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.txt")
	if err := os.WriteFile(path, []byte(order), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files, err := collect([]string{dir})
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	// One run is enough, and the limits are those of a test.
	r := runner{program: program, limits: limits{time: 20 * time.Second, memory: 200 << 20}, only: []string{verdictRun}, scratch: t.TempDir()}
	if order == "hang" {
		r.limits.time = time.Second
	}
	return r.file(t.Context(), &files[0])
}

func TestFindingsAreListedUntilTheyAreJudged(t *testing.T) {
	r := checkOne(t, "find")
	if len(r.Findings) != 2 || r.Findings[1].Under != "net/resets" {
		t.Fatalf("%+v, want two above possible, the second under the first", r.Findings)
	}
	judgements := filepath.Join(t.TempDir(), "judged.tsv")
	write := func(verdict string) {
		line := "# by hand\n" + verdict + "\tnet/resets\t10.0.0.2:80\tdump.txt\ta note\n"
		if err := os.WriteFile(judgements, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		verdict string
		held    bool
	}{{"right", true}, {"wrong", false}} {
		write(tc.verdict)
		known, err := readJudgements(judgements)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		c, err := newReport(&out, "", known, 1)
		if err != nil {
			t.Fatal(err)
		}
		c.add(r)
		held, err := c.close()
		if held != tc.held || err != nil {
			t.Errorf("%s: held %v, %v", tc.verdict, held, err)
		}
		if text := out.String(); strings.Contains(text, "no process listens") || !strings.Contains(text, "rt/slow, likely") {
			t.Errorf("%s: what is judged is listed, or what is not is missing:\n%s", tc.verdict, text)
		}
	}
	write("perhaps")
	if _, err := readJudgements(judgements); err == nil {
		t.Error("a judgement that is none was taken")
	}
}

func TestEvidenceIsCollectedOnceAndByContent(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.pcap": "\xd4\xc3\xb2\xa1 and more", "copy/b": "\xd4\xc3\xb2\xa1 and more", "c.txt": "Thread 1", "d.bin": "\x00\x01", "e.rtr": "PK\x03\x04", "empty": "",
		"rec/manifest.json": "{}", "rec/journal": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	files, err := collect([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.name+" "+string(f.kind))
	}
	want := []string{"a.pcap capture", "c.txt stacks", "d.bin other", "e.rtr recording", "rec recording"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCharactersMayBeCutByWrites(t *testing.T) {
	o := newOutput(false, false)
	for _, b := range []byte("grün — fine\n") {
		_, _ = o.Write([]byte{b})
	}
	if bad := o.close(); bad != "" {
		t.Error(bad)
	}
}

func TestCommandsCanBeTyped(t *testing.T) {
	if got, want := typed("rtrail", []string{"packets", "it's $(here)"}), `rtrail packets 'it'\''s $(here)'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
