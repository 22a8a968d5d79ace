package ruletest

import (
	"slices"
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/shell/shelltest"
	"rtrail/internal/view"
)

// groupsPrint is what is compared for a host with one control group.
func groupsPrint(command func(path string) string) func(*view.View) []Printed {
	return func(v *view.View) []Printed {
		var list []Printed
		for _, g := range v.Cgroups() {
			list = append(list, Printed{"group", command(g.Path)})
		}
		return list
	}
}

// differs says whether the commands about a group differ under any hostile name.
func differs(t *testing.T, command func(path string) string) bool {
	t.Helper()
	h := New(1, 2).Cgroup(Cgroup{Path: "/app/web"})
	print := groupsPrint(command)
	bad := 0
	for _, p := range shelltest.Payloads {
		look := func(what string) string {
			rec := renamed(h.Rec, map[string]bool{"/app/web": true}, what, p.First)
			return print(view.New(rec, Start, Start.Add(dur(2))))[0].Command
		}
		calm, got := look(shelltest.Marker), look(p.Text)
		if got != "" && shelltest.Same(calm, got, p.Text) != nil {
			bad++
		}
	}
	return bad > 0
}

// Commands that are not built by package shell, or that give a name to a program
// that reads it as more, are found.
func TestCarelessCommandsAreFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		command func(path string) string
		differs bool
	}{
		{"quoted", func(p string) string {
			return shell.Line("cat %s", shell.Path("/sys/fs/cgroup"+p+"/cpu.stat")).String()
		}, false},
		{"quoted twice", func(p string) string {
			return shell.Line("watch %s", shell.Script(shell.Line("ls %s | wc -l", shell.Path(p)))).String()
		}, false},
		{"a name in SQL", func(p string) string {
			return shell.Line("mysql -e %s", shell.SQL("show index from %s", shell.Name(p))).String()
		}, false},
		{"a text in SQL", func(p string) string { return shell.Line("mysql -e %s", shell.SQL("select %s", p)).String() }, false},
		{"bare", func(p string) string { return "cat /sys/fs/cgroup" + p + "/cpu.stat" }, true},
		{"in double quotes", func(p string) string { return `cat "/sys/fs/cgroup` + p + `/cpu.stat"` }, true},
		{"in single quotes", func(p string) string { return `cat '/sys/fs/cgroup` + p + `/cpu.stat'` }, true},
		{"in a comment", func(p string) string { return "cat x   # of " + p }, true},
		{"a script", func(p string) string { return shell.Line("sh -c %s", "ls "+p).String() }, true},
		{"a script for watch", func(p string) string { return shell.Line("watch %s", "ls "+p).String() }, true},
		{"SQL as a word", func(p string) string { return shell.Line("mysql -e %s", "show index from "+p).String() }, true},
		{"a program", func(p string) string { return shell.Line("awk %s f", p).String() }, true},
		{"an option", func(p string) string { return "ls " + shell.Quote(strings.TrimLeft(p, "/")) }, true},
	} {
		if got := differs(t, c.command); got != c.differs {
			t.Errorf("%s: hostile names make a difference: %v, want %v", c.name, got, c.differs)
		}
	}
}

// Names that something depends on stay, and only they: the rest is still hostile.
func TestKnownNamesStay(t *testing.T) {
	h := New(1, 2).Cgroup(Cgroup{Path: "/app"})
	h.Process(Process{PID: 7, Comm: "nginx", Cmdline: "nginx -g x", MemCgroup: "/app"})
	seen := map[string]bool{}
	compared, names := h.Pasted(t, func(v *view.View) []Printed {
		var list []Printed
		for _, p := range v.Processes() {
			if p.Comm == "nginx" {
				seen[p.MemCgroup] = true
				list = append(list, Printed{"nginx", shell.Line("ls %s", shell.Path(p.MemCgroup)).String()})
			}
		}
		return list
	})
	if compared != len(shelltest.Payloads) || names != compared {
		t.Errorf("%d compared, %d of them with names, want %d", compared, names, len(shelltest.Payloads))
	}
	for _, p := range shelltest.Payloads {
		if want := named("/app", p.Text, p.First); !seen[want] {
			t.Errorf("no group %q among %v", want, seen)
		}
	}
}

func TestNamed(t *testing.T) {
	for text, want := range map[string]string{
		"/a/b":                           "/a`/b`",
		"10.0.0.2:3306":                  "10.0.0.2`:3306",
		"shop.orders":                    "shop`.orders`",
		"a, b":                           "a`, b`",
		"my group":                       "my group`",
		"select c from `t` where d = ?":  "select c from `t``` where `d``` = ?",
		"UPDATE shop.t SET n = 1":        "UPDATE `shop`.`t``` SET `n``` = 1",
		"select 1 from (select 2) where": "select 1 from (select 2) where",
	} {
		if got := named(text, "`", false); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := named("/a", "-rf ", true); got != "/-rf a" {
		t.Errorf("a path begins with %s", got)
	}
}

func TestTextsOfTheLogAreNames(t *testing.T) {
	h := New(1, 2).Log(1, "oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/redis,task_memcg=/redis/a,task=redis,pid=10,uid=0")
	list := texts(h.Rec)
	for _, want := range []string{"/redis", "/redis/a", "redis"} {
		if !slices.Contains(list, want) {
			t.Errorf("no %s in %q", want, list)
		}
	}
	rec := renamed(h.Rec, asSet(list), "$(x)", false)
	if got := recording.Rows[recording.KernelLogLine](rec)[0].Text; !strings.Contains(got, "oom_memcg=/redis$(x),task_memcg=/redis$(x)/a$(x),task=redis$(x),") {
		t.Error(got)
	}
}
