package mysql

import (
	"os/exec"
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// What a shell makes of the commands: words, one a line.
func TestCommandsArePasted(t *testing.T) {
	for _, c := range []struct {
		server, user string
		query        shell.Query
		want         []string
	}{
		{"10.0.0.2:3306", "", shell.SQL("kill 17"), []string{"-h", "10.0.0.2", "-P", "3306", "-e", "kill 17"}},
		{"[2001:db8::1]:3307", "lab", shell.SQL("kill 17"), []string{"-h", "2001:db8::1", "-P", "3307", "-u", "lab", "-e", "kill 17"}},
		{"/run/mysqld/mysqld.sock", "lab", shell.SQL("select 1"), []string{"-S", "/run/mysqld/mysqld.sock", "-u", "lab", "-e", "select 1"}},
		{"/tmp/my sock", "o'neil; $(id)", shell.SQL("select 1"), []string{"-S", "/tmp/my sock", "-u", "o'neil; $(id)", "-e", "select 1"}},
		{"db1:3306", "", shell.SQL("select 'a', \"b\" from `c$d` \\G"), []string{"-h", "db1", "-P", "3306", "-e", "select 'a', \"b\" from `c$d` \\G"}},
	} {
		command := ask(&view.MySQLServer{MySQLServer: recording.MySQLServer{Server: c.server, User: c.user}}, c.query)
		out, err := exec.Command("sh", "-c", `mysql() { printf '%s\n' "$@"; }; `+command.String()).Output()
		if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); err != nil || strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %v, %q, want %q", command, err, got, c.want)
		}
	}
}

// Every command of a finding logs in as rtrail did, but for what this user may
// not do: to grant itself more.
func TestCommandsNameTheUser(t *testing.T) {
	m := joining()
	m.User = "lab"
	f := ruletest.Judge(t, server(m), fullScan, rule.Likely)[0]
	commands := []string{}
	for _, e := range f.Evidence {
		commands = append(commands, e.Check.String())
	}
	for _, x := range f.Fixes {
		commands = append(commands, x.Command.String())
	}
	asked := 0
	for _, c := range commands {
		if strings.HasPrefix(c, "mysql ") {
			asked++
			if !strings.Contains(c, " -u lab -e ") {
				t.Errorf("%s: it does not log in as lab", c)
			}
		}
	}
	if asked < 3 {
		t.Errorf("only %d commands of %q ask the server", asked, commands)
	}
	waits := ruletest.MySQL{User: "lab", Gauges: map[string]float64{"Innodb_row_lock_current_waits": 5, "Threads_running": 6}}
	f = ruletest.Judge(t, server(waits), rowLockWait, rule.Likely)[0]
	if c := f.Fixes[0].Command.String(); !strings.Contains(c, "grant") || strings.Contains(c, "lab") {
		t.Errorf("%s: a user cannot grant itself what it lacks", c)
	}
}
