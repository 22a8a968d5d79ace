package mysql

import (
	"strings"
	"testing"
)

// A statement that gives a privilege names rtrail's account, quoted, and never the
// anonymous one, which is everybody's.
func TestGrantee(t *testing.T) {
	for name, c := range map[string]struct{ account, user, want string }{
		"an account":            {"lab@%", "lab", "'lab'@'%'"},
		"an @ in the name":      {"a@b@10.0.0.%", "a@b", "'a@b'@'10.0.0.%'"},
		"a quote in the name":   {"o'b\\@%", "o'b\\", `'o''b\\'@'%'`},
		"the anonymous account": {"@localhost", "nobody", ""},
		"an account not told":   {"", "lab", "'lab'@'...'"},
		"nothing known":         {"", "", ""},
	} {
		l := &look{server: &server{}}
		l.about.flavor, l.about.grantee = "MariaDB", grantee(c.account, c.user)
		if l.about.grantee != c.want {
			t.Errorf("%s: %s, want %s", name, l.about.grantee, c.want)
		}
		how := l.grantee("REPLICATION CLIENT ON *.*")
		if strings.Contains(how, "TO ''") || !strings.Contains(how, "GRANT SLAVE MONITOR ON *.* TO ") {
			t.Errorf("%s: %s", name, how)
		}
		if anonymous := strings.Contains(how, "anonymous"); anonymous != (c.want == "") {
			t.Errorf("%s: %s", name, how)
		}
	}
}
