package shell

import (
	"math"
	"os/exec"
	"strings"
	"testing"
)

// foreign are names as an enemy chooses them. Each would run "touch", end a
// quotation, be an option, or be taken for something else on a terminal.
var foreign = []string{
	"a$(touch x)", "a`touch x`", "a;touch x", "a|touch x", "a&touch x", "a\ntouch x", "a\rtouch x", "a>x", "a<x",
	"it's", "it's $(touch x)", "it's `touch x`", `it's \$(touch x)`, `say "$(touch x)"`, `'`, `''`, `"`, `\`, `a\`, `'\''$(touch x)`, `\'$(touch x)`,
	"'\n$(touch x)'", "\x1b'$(touch x)'", "\x1b\\'$(touch x)", "\x01';touch x;'",
	"!!", "a!touch", "!'\"", "it's!", "*", "?", "[a-z]", "~", "~root", "{a,b}", "#", "a #b", "=ls", "a=b", "%1", "$HOME", "${HOME}", "$((1))", "$'a'",
	"", " ", "  a  b ", "\t", "\x7f", "\x1b[31m", "\x1b]0;x\x07", "\u009b31m", "\u202egnp.exe", "\u2066a\u2069", "\u200b", "\ufeff", "\u2028", "\U000e0041",
	"\xff\xfe", "a\xc3", "ä ö", "日本", "e\u0301", "a\u00a0b", "\u3000", "-rf", "--", "-", "--help", "-e", "(a)", "a^b", "\x08\x08", "\x04", "\x15touch x\x0d",
}

func run(t *testing.T, sh, script string) string {
	t.Helper()
	cmd := exec.Command(sh, "-c", script)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %q: %v", sh, script, err)
	}
	if left, _ := exec.Command("ls", cmd.Dir).Output(); len(left) > 0 {
		t.Errorf("%s: %q made %s", sh, script, left)
	}
	return string(out)
}

func TestQuotedIsOneWord(t *testing.T) {
	for _, sh := range []string{"bash", "dash", "busybox", "zsh"} {
		path, err := exec.LookPath(sh)
		if err != nil {
			continue
		}
		var script strings.Builder
		for _, s := range foreign {
			script.WriteString("printf '%s\\0' " + Quote(s) + "\n")
		}
		var out string
		if sh == "busybox" {
			got, err := exec.Command(path, "sh", "-c", script.String()).Output()
			if err != nil {
				t.Fatal(err)
			}
			out = string(got)
		} else {
			out = run(t, path, script.String())
		}
		words := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		if len(words) != len(foreign) {
			t.Fatalf("%s: %d words, want %d", sh, len(words), len(foreign))
		}
		for i, s := range foreign {
			// dash before POSIX 2024 knows no $'...': the word is another one.
			if words[i] != s && !(sh == "dash" && strings.HasPrefix(Quote(s), "$'")) {
				t.Errorf("%s: %s became %q, want %q", sh, Quote(s), words[i], s)
			}
		}
	}
}

func TestQuotedShowsWhatItIs(t *testing.T) {
	for in, want := range map[string]string{
		"/var/lib/mysql":  "/var/lib/mysql",
		"a b":             "'a b'",
		"it's":            `"it's"`,
		"it's $1":         `'it'\''s $1'`,
		"a\nb":            `$'a\012b'`,
		"\u202ex":         `$'\342\200\256x'`,
		"a'\x1b!\\":       `$'a\047\033\041\134'`,
		"":                "''",
		"=x":              "'=x'",
		"日本":              "'日本'",
		"show\\G":         `'show\G'`,
		"x like 'Sort%'":  `"x like 'Sort%'"`,
		"x like 'a\\_b%'": `'x like '\''a\_b%'\'''`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

type name string

func (n name) String() string { return string(n) }

func TestLine(t *testing.T) {
	enter := Line("ip netns exec %s", "a b")
	for _, c := range []struct {
		got  Command
		want string
	}{
		{Line("vmstat 1"), "vmstat 1"},
		{Line("pidstat -p %d 1   # column %%wait", int32(7)), "pidstat -p 7 1   # column %wait"},
		{Line("ss -ltn 'sport = :%d'", uint16(80)), "ss -ltn 'sport = :80'"},
		{Line("ping -s %.0f %s", 12.4, "10.0.0.1"), "ping -s 12 10.0.0.1"},
		{Line("cat /sys/class/net/%s/mtu", "a$(x)"), "cat /sys/class/net/'a$(x)'/mtu"},
		{Line("%s ss -s", enter), "ip netns exec 'a b' ss -s"},
		{Line("%s ss -s; %s nstat", Command{}, Command{}), "ss -s; nstat"},
		{Line("watch -d %s", Script(Line("df -- %s", "a b"))), "watch -d \"df -- 'a b'\""},
		{Line("tc qdisc show dev %s", name("e 0")), "tc qdisc show dev 'e 0'"},
		{Line("rtrail stacks %s", Paths{"a b", "-x"}), "rtrail stacks 'a b' ./-x"},
		{Line("df -B1 %s", "-x"), ""},
		{Line("df -B1 -- %s", "-x"), "df -B1 -- -x"},
		{Line("df -- /; ls %s", "-x"), ""},
		{Line("dig @%s", "-x"), "dig @-x"},
		{Line("ls %s", "a\x00b"), ""},
		{Line("%s; ls", Line("ls %s", "\x00")), ""},
		{Line("ls %s", "\x00").With("-l"), ""},
		{Line("ls").With("-- %s", "\x00"), ""},
		{Line("ls").With("-- %s", "-x"), "ls -- -x"},
		{Command{}.With("-l"), ""},
		{Line("x=%.0f", math.NaN()), ""},
		{Line("ip route get %s", Address("::1")), "ip route get ::1"},
		{Line("ip route get %s", Address("db-1.example")), "ip route get db-1.example"},
		{Line("ip route get %s", Address("a b")), ""},
		{Line("ip route get %s", Address("-f")), ""},
		{Line("ip route get %s", Address("")), ""},
		{Line("ip route get %s", Address("fe80::1%a b")), "ip route get 'fe80::1%a b'"},
		{Line("mysql -e %s", SQL("kill %d", 4)), "mysql -e 'kill 4'"},
		{Line("mysql -e %s", SQL("select is_used_lock(%s)", `a'); drop table x -- \`)), `mysql -e 'select is_used_lock('\''a'\'''\''); drop table x -- \\'\'')'`},
		{Line("mysql -e %s", SQL("show index from %s", Name("shop.my table`;"))), "mysql -e 'show index from shop.`my table``;`'"},
		{Line("mysql -e %s", SQL("alter table t add index (%s)", Names{"a", "b c"})), "mysql -e 'alter table t add index (a, `b c`)'"},
		{Line("mysql -e %s", SQL("explain %s", Statement("select ? from t where x = 'a;b'"))), `mysql -e "explain select ? from t where x = 'a;b'"`},
		{Line("tshark -Y %s", Display("%s && tcp.port == %d", Display("ip.src == %s", "10.0.0.1"), 80)), "tshark -Y 'ip.src == 10.0.0.1 && tcp.port == 80'"},
		{Line("tshark -Y %s", Display("ip.src == %s", `1" || "$(x)`)), `tshark -Y 'ip.src == "1\" || \"$(x)"'`},
		{Line("rtrail packets --filter %s", CEL("error != %s", `a" || true || "`)), `rtrail packets --filter 'error != "a\" || true || \""'`},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestStatementsOfOthers(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT * FROM t WHERE a = ?":            true,
		"(select 1) union (select 2)":            true,
		"with x as (select ?) select * from x":   true,
		"insert into t values (?)":               true,
		"analyze update t set a = ?":             false, // runs it
		"select 1; drop table t":                 false,
		`select 1 \! touch x`:                    false, // the client runs a shell
		`select '\' ; drop table t -- '`:         false,
		"select 1 # a":                           false,
		"select 1 -- a":                          false,
		"select /*!50000 1 */ 1":                 false,
		"select 'a":                              false,
		"select 1\nsystem touch x":               false,
		"drop table t":                           false,
		"":                                       false,
		"select `a;b` from t where b = \"--#;\"": true,
	} {
		if got := !Line("mysql -e %s", SQL("explain %s", Statement(text))).Empty(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestMistakesPanic(t *testing.T) {
	for name, make := range map[string]func(){
		"too few":            func() { Line("ls %s") },
		"too many":           func() { Line("ls", "x") },
		"a name in quotes":   func() { Line("ss 'dst %s'", "x") },
		"quoted in SQL":      func() { SQL("like '%s'", "x") },
		"quoted in a filter": func() { Display("x == \"%s\"", "x") },
		"in backticks":       func() { Line("`%s`", "x") },
		"a number as a word": func() { Line("ls %d", "x") },
		"a word as a number": func() { Line("ls %s", 1) },
		"a verb cut":         func() { Line("ls %") },
		"SQL in a filter":    func() { Display("%s", SQL("x")) },
		"a command in SQL":   func() { SQL("%s", Line("ls")) },
		"a path in SQL":      func() { SQL("%s", Path("ls")) },
		"a name in a shell":  func() { Line("%s", Name("x")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			make()
		}()
	}
}

// FuzzQuote: whatever a name is, bash and sh make one word of it, and nothing of
// it runs.
func FuzzQuote(f *testing.F) {
	for _, s := range foreign {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		word, ok := quote(s)
		if ok == strings.Contains(s, "\x00") {
			t.Fatalf("%q: %v", s, ok)
		}
		if !ok {
			return
		}
		if got := run(t, "bash", "printf '%s|' "+word); got != s+"|" {
			t.Fatalf("bash makes %q of %s, want %q", got, word, s)
		}
		if got := run(t, "sh", "printf '%s|' "+word); strings.Count(got, "|") != strings.Count(s, "|")+1 {
			t.Fatalf("sh makes %q of %s", got, word)
		}
	})
}
