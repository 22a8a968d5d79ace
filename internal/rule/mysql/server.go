package mysql

import (
	"cmp"
	"net/netip"
	"slices"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// answering lists the servers that can be judged by what they said: those that
// answered in the window. Without any of them it says why.
func answering(v *view.View) ([]*view.MySQLServer, error) {
	var list []*view.MySQLServer
	var why *rule.NotJudged
	for _, s := range v.MySQLServers() {
		if s.Answered() {
			list = append(list, s)
			continue
		}
		why = &rule.NotJudged{Needs: "answers of mysql " + s.Server, Why: "it gave none in the window", How: shell.Say("rtrail explain mysql/not-answering")}
		if s.Error != "" {
			why.Why = s.Error
		}
		if s.State == recording.ServerMisnamed {
			why = misnamed(s)
		}
		if s.State == recording.ServerDenied {
			why.How = shell.Say("give the right user and password with --mysql, or create a user: CREATE USER rtrail@'%%' IDENTIFIED BY '...'; GRANT PROCESS, REPLICATION CLIENT ON *.* TO rtrail@'%%'; GRANT SELECT ON performance_schema.* TO rtrail@'%%'")
		}
	}
	if len(list) == 0 && why != nil {
		return nil, why
	}
	return list, nil
}

// ofEach judges the servers that answered one by one.
func ofEach(judge func(*view.View, *view.MySQLServer) []rule.Finding) func(*view.View) ([]rule.Finding, error) {
	return func(v *view.View) ([]rule.Finding, error) {
		servers, err := answering(v)
		var found []rule.Finding
		for _, s := range servers {
			found = append(found, judge(v, s)...)
		}
		return found, err
	}
}

// inspection is a look at one thing in a server, which there is something to say of
// or not.
type inspection interface {
	look() bool
	finding() rule.Finding
}

// inspecting judges the servers that answered by one look at each.
func inspecting(at func(*view.View, *view.MySQLServer) inspection) func(*view.View) ([]rule.Finding, error) {
	return ofEach(func(v *view.View, s *view.MySQLServer) []rule.Finding {
		if x := at(v, s); x.look() {
			return []rule.Finding{x.finding()}
		}
		return nil
	})
}

// misnamed is why a server cannot be judged that cannot be asked as it was named.
// Nothing is wrong with it.
func misnamed(s *view.MySQLServer) *rule.NotJudged {
	return &rule.NotJudged{Needs: "answers of mysql " + s.Server, Why: s.Error, How: shell.Say("give the real server: --mysql USER@HOST:PORT, and --mysql-tls for the TLS that it offers")}
}

// process finds the process of a server on this host.
func process(v *view.View, s *view.MySQLServer) (view.Process, bool) {
	return v.Process(s.Entity().PID)
}

// address is where a server was asked over TCP; ok is false for sockets and
// for names.
func address(s *view.MySQLServer) (host string, port uint16, ok bool) {
	a, err := netip.ParseAddrPort(s.Server)
	if err != nil {
		return "", 0, false
	}
	return a.Addr().String(), a.Port(), true
}

// connections words a number of connections.
func connections(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return unit.Count(n).String() + " connections"
}

// account is USER@CLIENT, as far as both are known.
func account(user, client string) string {
	switch {
	case user == "" && client == "":
		return "an unknown user"
	case client == "":
		return user
	case user == "":
		return client
	}
	return user + "@" + client
}

// session is the last row of a connection in the window.
func session(v *view.View, server string, id int64) (recording.MySQLSession, bool) {
	for _, look := range slices.Backward(v.SessionsOf(server)) {
		for _, r := range look {
			if r.ID == id {
				return r, true
			}
		}
	}
	return recording.MySQLSession{}, false
}

// running is the mean number of connections that do something; 0 if unknown.
func running(s *view.MySQLServer) float64 {
	mean, _, _, ok := s.Gauge("Threads_running")
	if !ok {
		return 0
	}
	return mean
}

// commonest is the word counted most often.
func commonest(counts map[string]int) string {
	best := ""
	for w, n := range counts {
		if best == "" || cmp.Or(cmp.Compare(n, counts[best]), cmp.Compare(best, w)) > 0 {
			best = w
		}
	}
	return best
}

// listenerOf names the port of a server, beside its process: what is said of
// all connections together is not said of what any of them does.
func listenerOf(v *view.View, s *view.MySQLServer) view.Entity {
	l := view.Entity{Kind: view.KindListener, Name: "mysql", Port: uint16(max(s.Port, 0)), Detail: s.Server}
	if p, ok := process(v, s); ok {
		l.Name, l.NetNS = p.Comm, p.NetNS
	}
	return l
}

// words is a statement as evidence shows it.
func words(statement string) string { return brief(statement, 70) }

// wait is the verb for connections(n).
func wait(n int) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}
