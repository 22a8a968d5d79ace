package view

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// MySQLState is what a number of connections of a server did.
type MySQLState struct {
	Command string
	State   string
	Mean    float64 // connections in it, over all looks at the process list
	Most    int64
	Looks   int           // in which any connection was in it
	Longest time.Duration // that a connection was seen in it
}

// StatesOf sums the states of a server's connections over the window, those
// with most connections first; sleeping ones are not in it. looks is how often
// the process list was read.
func (v *View) StatesOf(server string) (states []MySQLState, looks int) {
	type key struct{ command, state string }
	sums := map[key]*MySQLState{}
	times := map[time.Time]bool{}
	for _, r := range Rows[recording.MySQLState](v) {
		if r.Server != server {
			continue
		}
		times[r.At] = true
		if r.Command == "Sleep" {
			continue
		}
		k := key{r.Command, r.State}
		s := sums[k]
		if s == nil {
			s = &MySQLState{Command: r.Command, State: r.State}
			sums[k] = s
		}
		s.Mean += float64(r.Count)
		s.Most = max(s.Most, r.Count)
		s.Looks++
		s.Longest = max(s.Longest, r.Longest)
	}
	for _, s := range sums {
		s.Mean /= float64(len(times))
		states = append(states, *s)
	}
	slices.SortFunc(states, func(a, b MySQLState) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.State, b.State), cmp.Compare(a.Command, b.Command))
	})
	return states, len(times)
}

// UserLockState is the state of a connection that waits in GET_LOCK.
const UserLockState = "User lock"

// DefinitionWait says whether a state of the process list is a wait for the
// definition of an object, or for a lock on all of them.
func DefinitionWait(state string) bool {
	switch {
	case !strings.HasPrefix(state, "Waiting for "):
		return false
	case strings.HasSuffix(state, "metadata lock"), state == "Waiting for table flush", state == "Waiting for global read lock",
		state == "Waiting for commit lock", state == "Waiting for backup lock", state == "Waiting for table level lock":
		return true
	}
	return false
}

// commitStates are what servers write while a commit waits for its logs: 5.6
// and 5.7 "query end", 8.0 "waiting for handler commit", MariaDB the others;
// "updating status" is where a commit waits that does so beside other work.
var commitStates = []string{"commit", "query end", "updating status", "waiting for handler commit", "waiting for prior transaction to commit"}

// CommitState says whether a state of the process list is that of a commit which waits
// for its logs.
func CommitState(state string) bool {
	return slices.Contains(commitStates, strings.ToLower(state))
}

// SessionsOf are the rows of connections that did something, look by look,
// each in the order of its look.
func (v *View) SessionsOf(server string) [][]recording.MySQLSession {
	return looks(v, server, func(r recording.MySQLSession) string { return r.Server })
}

// SocketOfSession finds the server's end of a session among the sockets of this host.
func (v *View) SocketOfSession(s *MySQLServer, r recording.MySQLSession) (Connection, bool) {
	return v.connectionWith(uint16(max(s.Port, 0)), uint16(max(r.ClientPort, 0)), func(c *Connection) string { return c.Remote }, r.Client)
}

// ClientOfSession finds the program at the client's end of a session, if it runs on
// this host.
func (v *View) ClientOfSession(s *MySQLServer, r recording.MySQLSession) (Process, bool) {
	c, ok := v.connectionWith(uint16(max(r.ClientPort, 0)), uint16(max(s.Port, 0)), func(c *Connection) string { return c.Local }, r.Client)
	if !ok {
		return Process{}, false
	}
	owners := v.SocketOwners(c.Inode)
	if len(owners) == 0 {
		return Process{}, false
	}
	return owners[0], true
}

// connectionWith finds a connection by its ports and by one of its addresses. A
// server that resolves addresses knows its client by name; then the ports must be
// those of one connection only.
func (v *View) connectionWith(local, remote uint16, address func(*Connection) string, client string) (Connection, bool) {
	if local == 0 || remote == 0 {
		return Connection{}, false
	}
	type ports struct{ local, remote uint16 }
	known := Memo(v, "connections by ports", func() map[ports][]int {
		m := map[ports][]int{}
		for i, c := range v.Connections() {
			k := ports{c.LocalPort, c.RemotePort}
			m[k] = append(m[k], i)
		}
		return m
	})
	_, err := netip.ParseAddr(client)
	found := -1
	for _, i := range known[ports{local, remote}] {
		switch c := &v.Connections()[i]; {
		case address(c) == client:
			return *c, true
		case err == nil:
		case found >= 0:
			return Connection{}, false
		default:
			found = i
		}
	}
	if found < 0 {
		return Connection{}, false
	}
	return v.Connections()[found], true
}

// ClientsOf are the connections of a server by user and client address at the
// last look, most first.
func (v *View) ClientsOf(server string) []recording.MySQLClient {
	all := looks(v, server, func(r recording.MySQLClient) string { return r.Server })
	if len(all) == 0 {
		return nil
	}
	last := slices.Clone(all[len(all)-1])
	slices.SortStableFunc(last, func(a, b recording.MySQLClient) int { return cmp.Compare(b.Total, a.Total) })
	return last
}

// TransactionsOf are the open transactions of a server, look by look.
func (v *View) TransactionsOf(server string) [][]recording.MySQLTransaction {
	return looks(v, server, func(r recording.MySQLTransaction) string { return r.Server })
}

// LatchesOf are the waits for latches inside of InnoDB, look by look.
func (v *View) LatchesOf(server string) [][]recording.MySQLLatch {
	return looks(v, server, func(r recording.MySQLLatch) string { return r.Server })
}

// looks splits the rows of one server by the time of their reading.
func looks[T recording.Row](v *View, server string, of func(T) string) [][]T {
	var list [][]T
	var at time.Time
	for _, r := range Rows[T](v) {
		if of(r) != server {
			continue
		}
		if read := recording.TimeOf(&r); len(list) == 0 || !read.Equal(at) {
			list, at = append(list, nil), read
		}
		list[len(list)-1] = append(list[len(list)-1], r)
	}
	return list
}
