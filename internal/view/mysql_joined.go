package view

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// MySQLJoined is one statement as its clients saw it in packets, and as the
// server saw it from inside. Servers count from when they begin to execute:
// what a statement waited before that, for a thread of a pool, is only in the
// time of the clients.
type MySQLJoined struct {
	Text     string // as packets show it
	Requests int64  // that clients made
	ClientP50,
	ClientP99,
	ClientMax time.Duration // of the clients' response times
	ClientSum time.Duration
	Executed  time.Duration // mean execution time in the server, by its digests
	Runs      int64         // that the digests counted
}

// Before is what clients waited and the server did not count, in all.
func (j MySQLJoined) Before() time.Duration {
	return max(j.ClientSum-time.Duration(j.Requests)*j.Executed, 0)
}

// MySQLJoinedOf are the statements of a server that packets and its digests both
// know, those that waited longest outside of execution first. Empty without a
// capture, or without digests.
func (v *View) MySQLJoinedOf(s *MySQLServer) []MySQLJoined {
	if s.Packets == nil {
		return nil
	}
	digests, ok := v.StatementsOf(s.Server)
	if !ok {
		return nil
	}
	type sum struct {
		took time.Duration
		runs int64
	}
	inside := map[string]sum{}
	for _, d := range digests {
		k := bareStatement(d.Text)
		x := inside[k]
		inside[k] = sum{x.took + d.Took, x.runs + d.Count}
	}
	var list []MySQLJoined
	for _, p := range v.PacketStatements() {
		if p.Server != s.Packets.Server || p.ServerPort != int32(s.Packets.Port) || p.Proto != "mysql" || p.Count == 0 {
			continue
		}
		x, ok := inside[bareStatement(p.Fingerprint)]
		if !ok || x.runs == 0 {
			continue
		}
		list = append(list, MySQLJoined{Text: p.Fingerprint, Requests: p.Count, ClientP50: p.RTP50, ClientP99: p.RTP99, ClientMax: p.RTMax,
			ClientSum: p.RTSum, Executed: x.took / time.Duration(x.runs), Runs: x.runs})
	}
	slices.SortStableFunc(list, func(a, b MySQLJoined) int { return cmp.Compare(b.Before(), a.Before()) })
	return list
}

// bareStatement is a text without what servers and clients write differently:
// case, quotes of names, blanks.
func bareStatement(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '`', ' ', '\t', '\n', '\r', ';':
			return -1
		}
		return r
	}, strings.ToLower(text))
}
