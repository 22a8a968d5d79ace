package shelltest

import "testing"

func TestSame(t *testing.T) {
	const touch = "$(touch x)"
	for _, c := range []struct {
		harmless, hostile, payload string
		same                       bool
	}{
		{"cat /g/azqz/x", "cat /g/'a$(touch x)'/x", touch, true},
		{"cat /g/azqz/x", "cat '/g/a$(touch x)/x'", touch, true},
		{"cat /g/azqz/x", "cat /g/a$(touch x)/x", touch, false},
		{"cat /g/azqz/x", `cat "/g/a$(touch x)/x"`, touch, false},
		{"cat azqz", `cat "a\$(touch x)"`, touch, true},
		{"cat azqz", "cat a`touch x`", "`touch x`", false},
		{"cat azqz", "cat 'a'; touch x", "; touch x", false},
		{"cat azqz", "cat a b", " b", false},
		{"cat azqz", "cat ab", " b", false},
		{"cat azqz", "cat a>x", ">x", false},
		{"cat azqz", "cat a*", "*", false},
		{"cat azqz", `cat a\*`, "*", true},
		{"cat azqz", "cat a{b,c}", "{b,c}", false},
		{"cat zqza", "cat ~a", "~", false},
		{"cat azqz", "cat $HOME", "$HOME", false},
		{"cat azqz", "cat 'a", "'", false},
		{"cat azqz", `cat $'a\012b'`, "\nb", true},
		{"cat azqz", "cat 'a\nb'", "\nb", false},
		{"cat azqz # b", "cat a # b", " # b", false},
		{"cat # azqz", "cat # a\n touch x", "\n touch x", false},
		{"ls zqza", "ls -rfa", "-rf", false},
		{"ls -- zqza", "ls -- -rfa", "-rf", true},
		{"ls -- x; cat zqza", "ls -- x; cat -rfa", "-rf", false},
		{"ls zqza", "ls ./-rfa", "-rf", true},
		{"ls --name=zqza", "ls --name=-rfa", "-rf", true},
		{"watch 'ls azqz'", "watch 'ls a$(touch x)'", touch, false},
		{"watch 'ls azqz'", `watch "ls 'a\$(touch x)'"`, touch, true},
		{"sh -c azqz", "sh -c 'a;touch x'", ";touch x", false},
		{"mysql -e 'show index from azqz'", "mysql -e 'show index from a;drop'", ";drop", false},
		{"mysql -e 'show index from azqz'", "mysql -e 'show index from `a;drop`'", ";drop", true},
		{"mysql -e 'show index from azqz'", "mysql -e 'show index from `a`;drop`'", "`;drop", false},
		{"mysql -e 'show index from azqz'", "mysql -e 'show index from `a``;drop`'", "`;drop", true},
		{"mysql -e \"x like 'azqz'\"", `mysql -e "x like 'a\\' or 1 -- '"`, `\' or 1 -- `, false},
		{"mysql -e \"x like 'azqz'\"", `mysql -e "x like 'a\\\\'' or 1 -- '"`, `\' or 1 -- `, true},
		{"mysql -e \"x like 'azqz'\"", `mysql -e "x like 'a\\'"`, `\`, false},
		{`tshark -Y 'a == "azqz"'`, `tshark -Y 'a == "a" || "b"'`, `" || "b`, false},
		{`tshark -Y 'a == "azqz"'`, `tshark -Y 'a == "a\" || \"b"'`, `" || "b`, true},
		{`awk /azqz/`, `awk '/a/ {system("x")}'`, `/ {system("x")}`, false},
	} {
		if err := Same(c.harmless, c.hostile, c.payload); (err == nil) != c.same {
			t.Errorf("%s and %s: %v, want the same: %v", c.harmless, c.hostile, err, c.same)
		}
	}
}
