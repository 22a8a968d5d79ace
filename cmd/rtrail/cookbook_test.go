package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"rtrail/internal/rule/catalogue"
)

// recipe is one command line of docs/cookbook.md.
type recipe struct {
	line string
	args []string // of rtrail; nil where the line runs something else
	sudo bool
}

// TestCookbook checks every rtrail command line of the cookbook against the real
// commands, and runs those that read evidence.
func TestCookbook(t *testing.T) {
	t.Cleanup(catalogue.Reset) // flags set thresholds
	recipes, tasks := cookbook(t)
	if tasks != 22 {
		t.Errorf("%d tasks, want 22", tasks)
	}
	dir := t.TempDir()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"bin", "home"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, filepath.Join(dir, "bin", "rtrail")); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{
		"client.pcapng":    "testdata/pairs/client.pcapng",
		"server.pcapng":    "testdata/pairs/server.pcapng",
		"slow.pcap":        "testdata/pairs/server.pcapng",
		"eth0.pcap":        "testdata/pairs/server.pcapng",
		"mysql-slow.log":   "testdata/mysql-slow.log",
		"mysql-slow.log.1": "testdata/mysql-slow.log",
		"vmstat.txt":       "../../internal/imported/testdata/cpu/vmstat-t.txt",
		"iostat.txt":       "../../internal/imported/testdata/cpu/iostat-xt.txt",
		"pidstat.txt":      "../../internal/imported/testdata/cpu/pidstat-u.txt",
		"mpstat.txt":       "../../internal/imported/testdata/cpu/mpstat.txt",
		"top.txt":          "../../internal/imported/testdata/cpu/top.txt",
		"sar.json":         "../../internal/imported/testdata/cpu/sar.json",
		"dump.txt":         "../../internal/stack/testdata/mariadb-10.11.gdb",
	} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(t *testing.T, line string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HOME="+filepath.Join(dir, "home"))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	run(t, "rtrail record -o night --for 2s")
	ran := 0
	for _, r := range recipes {
		if r.args == nil {
			continue
		}
		cmd, rest, err := newRootCommand().Find(r.args)
		if err != nil {
			t.Errorf("%s: %v", r.line, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", r.line, err)
			continue
		}
		if cmd.Args != nil {
			if err := cmd.Args(cmd, cmd.Flags().Args()); err != nil {
				t.Errorf("%s: %v", r.line, err)
			}
		}
		if r.sudo || strings.Contains(r.line, "db1") || strings.Contains(r.line, "/var/log") {
			continue
		}
		run(t, r.line)
		ran++
	}
	if ran < 12 {
		t.Errorf("only %d of %d command lines were run", ran, len(recipes))
	}
}

// cookbook reads the indented command lines, and counts the tasks.
func cookbook(t *testing.T) (list []recipe, tasks int) {
	t.Helper()
	text, err := os.ReadFile("../../docs/cookbook.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "## ") {
			tasks++
		}
		command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if !ok {
			continue
		}
		f, err := syntax.NewParser().Parse(strings.NewReader(command), "")
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		r := recipe{line: command}
		syntax.Walk(f, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			if !ok {
				return true
			}
			var words []string
			for _, w := range call.Args {
				words = append(words, word(w))
			}
			if len(words) > 1 && words[0] == "sudo" {
				r.sudo, words = true, words[1:]
			}
			if len(words) > 0 && words[0] == "rtrail" {
				r.args = append([]string{}, words[1:]...)
			}
			return true
		})
		list = append(list, r)
	}
	return list, tasks
}

// word is what the shell makes of a word without expansions.
func word(w *syntax.Word) string {
	var b bytes.Buffer
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		default:
			b.WriteString("1")
		}
	}
	return b.String()
}
