package verdict

import (
	"fmt"
	"slices"

	"rtrail/internal/packet/doubt"
	"rtrail/internal/packet/sums"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Tables of packets that say nothing unless a capture held a TCP connection, or
// a transaction whose times count. A host without listeners has healthy ones; a
// capture in which nothing could be read has not.
var (
	ofConnections  = []recording.Table{recording.PacketConnections, recording.PacketSides, recording.PacketPaths, recording.PacketRates}
	ofTransactions = []recording.Table{recording.PacketServices, recording.PacketHistograms, recording.PacketStatements, recording.PacketErrors,
		recording.PacketTransactions, recording.PacketNestings}
)

// packets is what the captures held of what rules of packets judge by.
type packets struct {
	connections, transactions *rule.NotJudged // why there are none; nil: there are
}

func packetsIn(v *view.View) packets {
	var p packets
	var all sums.Requests
	var torn *view.PacketService
	for _, s := range v.PacketServices() {
		all.Add(&s.Requests)
		if partial(&s.Requests) > s.Count && (torn == nil || partial(&s.Requests) > partial(&torn.Requests)) {
			torn = s
		}
	}
	whole := shell.Say("capture whole packets in both directions, from before the requests on: tcpdump -i IF -s 0 -w FILE")
	if torn != nil {
		p.transactions = &rule.NotJudged{Needs: "most requests of a service as a whole", How: whole,
			Why: fmt.Sprintf("of %s on port %d more were left out than counted: %s", torn.Proto, torn.Port, doubt.Reasons(&torn.Requests))}
	}
	if all.Count == 0 {
		p.transactions = &rule.NotJudged{Needs: "a request whose response time is known", Why: "none was captured", How: whole}
		switch {
		case all.Excluded() > 0:
			p.transactions.Why = "every request was left out: " + doubt.Reasons(&all)
		case all.TurnedAway > 0:
			p.transactions.Why = "every client was turned away before it could ask for anything"
			p.transactions.How = shell.Say("capture again when the server lets clients in")
		}
	}
	p.connections = connectionsIn(v)
	if p.connections != nil && all.Count > 0 && len(v.PacketConnections()) > 0 {
		p.connections = nil // only the worst connections have rows; who was answered has both directions
	}
	// Without connections there is more amiss than with the requests.
	if p.connections != nil && p.transactions != nil && all.Excluded() == 0 {
		p.transactions = p.connections
	}
	return p
}

// partial is how many requests were captured in part, or not at all though their answers were.
func partial(r *sums.Requests) int64 { return r.Lossy + r.Unpaired }

func connectionsIn(v *view.View) *rule.NotJudged {
	list := v.PacketConnections()
	if slices.ContainsFunc(list, func(c *view.PacketConnection) bool { return c.FromClient.Packets > 0 && c.FromServer.Packets > 0 }) {
		return nil
	}
	if len(list) > 0 {
		return &rule.NotJudged{Needs: "both directions of a TCP connection", Why: "every connection was captured in one direction only",
			How: shell.Say("capture at one of the two hosts, or have the switch mirror both directions of its port")}
	}
	var all, unreadable int64
	for _, c := range v.PacketCaptures() {
		all += c.Packets
		unreadable += c.Unreadable
	}
	if all > 0 && unreadable >= all {
		return &rule.NotJudged{Needs: "a TCP connection", Why: fmt.Sprintf("none of %s packets could be read", unit.Count(all)),
			How: shell.Say("capture again: tcpdump -i IF -s 0 -w FILE; or correct a wrong link type: editcap -T ether FILE NEW")}
	}
	return &rule.NotJudged{Needs: "a TCP connection", Why: fmt.Sprintf("there is none in %s packets", unit.Count(all)),
		How: shell.Say("capture where the traffic passes: tcpdump -i any -s 0 -w FILE")}
}

// barren says that a rule which found nothing had nothing to look at. Of tables
// that can stand in for each other it is enough that one is there: it may be without
// rows, of a probe that saw nothing.
func (p packets) barren(r rule.Rule, there func(recording.Table) bool) error {
	for _, t := range r.Needs {
		if why := p.lacks(t); why != nil {
			return why
		}
	}
	var first error
	for _, t := range r.NeedsAny {
		why := p.lacks(t)
		switch {
		case why != nil && first == nil:
			first = why
		case why == nil && there(t):
			return nil
		}
	}
	return first
}

// lacks says what a table of packets lacks; nil: nothing, or it is another's.
func (p packets) lacks(t recording.Table) error {
	switch {
	case p.connections != nil && slices.Contains(ofConnections, t):
		return p.connections
	case p.transactions != nil && slices.Contains(ofTransactions, t):
		return p.transactions
	}
	return nil
}
