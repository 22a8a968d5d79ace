package summary

import (
	"rtrail/internal/packet/flow"
)

// recent remembers where the last transactions were counted. Most transactions
// go where one of the last went, and looking into four maps for each of them
// takes as long as counting it. What is taken out of those maps is forgotten here too.
type recent struct {
	servers    [16]recentServer
	clients    [64]recentClient
	statements [64]recentStatement
}

type recentServer struct {
	server flow.Endpoint
	proto  string
	key    Service
	total  *Total // nil: nothing is remembered
}

type recentClient struct {
	addr  flow.Addr
	total *Total
}

type recentStatement struct {
	key       StatementKey
	statement *Statement
}

// where finds the sums of a server and a protocol.
func (c *Collector) where(server flow.Endpoint, protocol string) *recentServer {
	r := &c.recent.servers[(server.Port^uint16(server.Addr[15]))%uint16(len(c.recent.servers))]
	if r.total != nil && r.server == server && r.proto == protocol {
		return r
	}
	*r = recentServer{server, protocol, c.service(server, protocol), c.place(Service{server, protocol})}
	return r
}

// client finds the sums of a client; nil: it is not told apart.
func (c *Collector) client(a flow.Addr) *Total {
	r := &c.recent.clients[(a[15]^a[14]<<3)%byte(len(c.recent.clients))]
	if r.total != nil && r.addr == a {
		return r.total
	}
	if len(c.sum.Clients) >= c.options.Clients && c.sum.Clients[a] == nil {
		return nil
	}
	*r = recentClient{a, total(c.sum.Clients, a)}
	return r.total
}

// known finds a statement that was counted a short while ago; nil: it was not.
// place is where it may be remembered. Fingerprints are made once and kept, so
// that equal ones mostly are the same, which the comparison sees at once.
func (c *Collector) known(k *StatementKey) (s *Statement, place *recentStatement) {
	n := len(k.Fingerprint)
	at := n*5 + len(k.Command) + int(k.Server.Port)
	if n > 0 {
		at += int(k.Fingerprint[n-1])<<2 + int(k.Fingerprint[n/2])
	}
	r := &c.recent.statements[at%len(c.recent.statements)]
	if r.statement != nil && r.key == *k {
		return r.statement, r
	}
	return nil, r
}
