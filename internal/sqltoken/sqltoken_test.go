package sqltoken

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT `a b`.c FROM t WHERE x<=>-1.5":            "SELECT|`a b`|.|c|FROM|t|WHERE|x|<=>|-|1|.|5",
		"select `a``; b```":                               "select|`a`; b``",
		"select `a``":                                     "select",
		"select 'it''s', \"a\\\"b\" -- no\nfrom t # no":   "select|'it'|'s'|,|\"a\\\"b\"|from|t",
		"a--1 -- x":                                       "a|-|-|1",
		"SELECT /* no */ 1 /*!40001 SQL_NO_CACHE */ FROM": "SELECT|1|/*!|FROM",
		"SELECT /*M!100301 x*/ 1":                         "SELECT|/*!|1",
		"SELECT 1 /* cut":                                 "SELECT|1",
		"SELECT `cut":                                     "SELECT",
		"SELECT 'cut":                                     "SELECT|'cut",
		"f(a,@b):=1":                                      "f|(|a|,|@b|)|:=|1",
		"/*/":                                             "",
		"--":                                              "",
	} {
		var got []string
		for _, x := range Split(text) {
			if x.Quoted {
				x.Text = "`" + x.Text + "`"
			}
			if x.Text != Executable && !strings.Contains(text, "``") && text[x.At:x.End] != x.Text {
				t.Errorf("%s: %q is at %q", text, x.Text, text[x.At:x.End])
			}
			got = append(got, x.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, "|"), want)
		}
	}
}

func TestIndexAtTop(t *testing.T) {
	list := Split("SELECT (SELECT 1 FROM u) FROM `from` WHERE a")
	if i := IndexAtTop(list, "FROM", "WHERE"); i != 7 {
		t.Errorf("%d", i)
	}
	if i := IndexAtTop(list, "LIMIT"); i != -1 {
		t.Errorf("%d", i)
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{"SELECT `a` FROM t -- x\n", "/*/", "/*!1*/'\\", "\"", "#", "--"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, x := range Split(text) {
			if x.At < end || x.End <= x.At || x.End > len(text) {
				t.Fatalf("%q: token from %d to %d behind %d", text, x.At, x.End, end)
			}
			end = x.End
		}
		if i := IndexAtTop(Split(text), "FROM"); i >= 0 && !slices.ContainsFunc(Split(text), func(x Token) bool { return x.Is("FROM") }) {
			t.Error("found what is not there")
		}
	})
}
