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
			why.How = shell.Say("give the right user and password with --mysql, or create a user: CREATE USER rtrail@'%%' IDENTIFIED BY '...'; GRANT PROCESS, REPLICATION CLIENT, SELECT ON *.* TO rtrail@'%%'")
		}
	}
	if len(list) == 0 && why != nil {
		return nil, why
	}
	return list, nil
}

// misnamed is why a server cannot be judged that cannot be asked as it was named.
// Nothing is wrong with it.
func misnamed(s *view.MySQLServer) *rule.NotJudged {
	return &rule.NotJudged{Needs: "answers of mysql " + s.Server, Why: s.Error, How: shell.Say("name it as it is: --mysql USER@HOST:PORT, and --mysql-tls for what it offers")}
}

// affects are the names under which rules that see only packets or sockets
// speak of the same server.
func affects(v *view.View, s *view.MySQLServer) []rule.Subject {
	list := append(service(s), rule.Subject{Kind: rule.KindService, Name: "mysql " + s.Server, Port: uint16(max(s.Port, 0))})
	if p, ok := process(v, s); ok {
		list = append(list, rule.ProcessSubject(p))
	}
	return list
}

// process finds the process of a server on this host. One that never answered
// said no PID; then the port it listens at leads to it.
func process(v *view.View, s *view.MySQLServer) (view.Process, bool) {
	if s.Process != nil {
		return *s.Process, true
	}
	host, port, ok := address(s)
	if !ok {
		return view.Process{}, false
	}
	l, ok := v.ListenerAt(v.Manifest().Host.NetNS, host, port)
	if !ok || len(l.Owners) == 0 || !v.HasAddress(l.NetNS, host) {
		return view.Process{}, false
	}
	return l.Owners[0], true
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

// socketOf finds the server's end of a connection among the sockets of this host.
func socketOf(v *view.View, s *view.MySQLServer, r recording.MySQLSession) (view.Connection, bool) {
	return socketBetween(v, func(c view.Connection) bool {
		return int32(c.LocalPort) == s.Port && c.Remote == r.Client && int32(c.RemotePort) == r.ClientPort
	}, r.ClientPort > 0 && s.Port > 0)
}

// clientOf finds the program at the other end of a connection, if it runs on
// this host.
func clientOf(v *view.View, s *view.MySQLServer, r recording.MySQLSession) (view.Process, bool) {
	c, ok := socketBetween(v, func(c view.Connection) bool {
		return int32(c.RemotePort) == s.Port && c.Local == r.Client && int32(c.LocalPort) == r.ClientPort
	}, r.ClientPort > 0 && s.Port > 0)
	if !ok {
		return view.Process{}, false
	}
	owners := v.SocketOwners(c.Inode)
	if len(owners) == 0 {
		return view.Process{}, false
	}
	return owners[0], true
}

func socketBetween(v *view.View, is func(view.Connection) bool, known bool) (view.Connection, bool) {
	if !known {
		return view.Connection{}, false
	}
	all := v.Connections()
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return view.Connection{}, false
	}
	return all[i], true
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
func listenerOf(v *view.View, s *view.MySQLServer) rule.Subject {
	l := rule.Subject{Kind: rule.KindListener, Name: "mysql", Port: uint16(max(s.Port, 0)), Detail: s.Server}
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
