package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var slowReader = rule.Rule{
	ID:           "mysql/slow-reader",
	Title:        "a client does not read its result, and the server waits for it",
	Plural:       "clients do not read their results, and servers wait for them",
	Resource:     "readers of results",
	Needs:        []recording.Table{recording.MySQLServers},
	BlindWithout: []recording.Sight{recording.UnseenSessions},
	// The statement stays open as long as its client does not read.
	Explains:   []string{"mysql/long-transaction", "rt/client-slow", "rt/server-slow", "rt/path-slow", "rt/worker-queueing"},
	Refutes:    []string{"readers of data", "clients"},
	Thresholds: []*rule.Threshold{&sendingLooks, &stuckLooks, &leastQueued, &heldShare, &longWait},
	Detect:     ofEach(detectSlowReader),
}

var (
	sendingLooks = rule.Threshold{Name: "sending-looks", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Samples, one per second, in which a statement was seen sending. Fewer may be a short moment."}
	stuckLooks = rule.Threshold{Name: "stuck-looks", Value: 2, Unit: "count", Source: rule.Judgement,
		Reason: "Samples of a socket with data that the client does not read. A single one may be a short moment."}
	leastQueued = rule.Threshold{Name: "least-queued", Value: 16 << 10, Unit: "bytes", Source: "kernel, first value of tcp_wmem",
		Reason: "Bytes in the send queue of a server whose client does not read. Less is normal, as data in flight."}
	heldShare = rule.Threshold{Name: "held-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time with data to send in which the client's window blocked the server."}
)

// reader is a session whose statement sends rows to its client.
type reader struct {
	recording.MySQLSession // at its last look
	looks                  int
	certainState           bool // the server says that it writes to the client
	longest                time.Duration

	socket     view.Connection
	hasSocket  bool
	shut       bool    // the client's window is closed, as kernels since 5.4 tell
	queued     uint32  // most bytes that lay in the socket
	stuck      int     // readings of the socket with much in it
	heldUp     float64 // share of the time it had to send that the client's window held it up
	zeroWindow time.Duration
}

func detectSlowReader(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	byClient := map[string][]reader{}
	var order []string
	looks := len(v.SessionsOf(s.Server))
	for _, r := range readers(v, s) {
		if r.confidence() == 0 {
			continue
		}
		if byClient[r.Client] == nil {
			order = append(order, r.Client)
		}
		byClient[r.Client] = append(byClient[r.Client], r)
	}
	for _, c := range order {
		found = append(found, slowReaderFinding(v, s, byClient[c], looks))
	}
	return found
}

// writing says whether a state means that rows go to the client: for sure, or
// on servers that use the same word for reading rows.
func writing(state string) (sure, maybe bool) {
	switch state {
	case "Sending to client", "Writing to net":
		return true, true
	case "Sending data", "executing", "Executing", "Writing to client":
		return false, true
	}
	return false, false
}

func readers(v *view.View, s *view.MySQLServer) []reader {
	type key struct{ id, length int64 }
	known := map[key]*reader{}
	var order []key
	for _, look := range v.SessionsOf(s.Server) {
		for _, r := range look {
			sure, maybe := writing(r.State)
			if !maybe || r.Command == "Sleep" {
				continue
			}
			k := key{r.ID, r.Length}
			x := known[k]
			if x == nil {
				x = &reader{}
				known[k] = x
				order = append(order, k)
			}
			x.MySQLSession = r
			x.looks++
			x.certainState = x.certainState || sure
			x.longest = max(x.longest, r.For)
		}
	}
	var list []reader
	for _, k := range order {
		x := known[k]
		if x.looks >= sendingLooks.Int() {
			x.look(v, s)
			list = append(list, *x)
		}
	}
	return list
}

// look asks sockets and packets about the connection.
func (r *reader) look(v *view.View, s *view.MySQLServer) {
	r.socket, r.hasSocket = v.SocketOfSession(s, r.MySQLSession)
	if r.hasSocket {
		r.shut = r.socket.Info && r.socket.PeerWindow == 0 && v.KernelAtLeast(5, 4)
		for _, x := range r.socket.Samples {
			r.queued = max(r.queued, x.Of().SendQueue)
			if x.Of().SendQueue >= uint32(leastQueued.Value) {
				r.stuck++
			}
		}
		first := r.socket.First()
		busy := r.socket.Busy - first.Busy
		if busy > 0 && r.socket.Info {
			r.heldUp = (r.socket.RwndLimited - first.RwndLimited).Seconds() / busy.Seconds()
		}
	}
	if s.Packets != nil {
		for _, c := range s.Packets.Connections {
			if c.Client == r.Client && c.ClientPort == r.ClientPort {
				r.zeroWindow = c.FromClient.ZeroWindowTime
			}
		}
	}
}

// held says that the socket shows the client not reading: full for several
// readings, and held up by the client's window rather than by the way.
func (r *reader) held() bool {
	return r.hasSocket && r.stuck >= stuckLooks.Int() && 2*r.stuck >= len(r.socket.Samples) && (r.heldUp >= heldShare.Value || r.shut)
}

func (r *reader) confidence() rule.Confidence {
	switch {
	case r.held(), r.certainState && r.zeroWindow >= time.Second:
		return rule.Certain
	case r.certainState && r.longest >= longWait.Duration() && !r.hasSocket:
		return rule.Likely // by the server's word alone; its socket cannot be seen
	}
	return 0
}

// cause names who does not read.
func (r *reader) cause(v *view.View, s *view.MySQLServer) view.Entity {
	if p, ok := v.ClientOfSession(s, r.MySQLSession); ok {
		return p.Entity()
	}
	if r.Client == "localhost" || r.Client == "" {
		return view.Entity{Kind: view.KindConnection, Name: fmt.Sprintf("connection %d of %s", r.ID, s.Name())}
	}
	return view.Entity{Kind: view.KindPeer, Name: r.Client}
}

func slowReaderFinding(v *view.View, s *view.MySQLServer, list []reader, looks int) rule.Finding {
	slices.SortStableFunc(list, func(a, b reader) int { return cmp.Or(cmp.Compare(b.looks, a.looks), cmp.Compare(b.longest, a.longest)) })
	r := list[0]
	f := rule.Finding{Subject: r.cause(v, s), Affects: []view.Entity{s.Entity()}}
	if f.Subject.Kind == view.KindProcess {
		f.Affects = append(f.Affects, view.Entity{Kind: view.KindPeer, Name: r.Client})
	}
	var waited float64
	for _, x := range list {
		f.Confidence = max(f.Confidence, x.confidence())
		waited += float64(x.looks) / float64(max(looks, 1))
	}
	who := f.Subject.String()
	if f.Subject.Kind == view.KindProcess {
		who += " at " + r.Client
	}
	f.Headline = rule.T("%s does not read its result: connection %d of %s has been sending for %s (%s)", who, r.ID, s.Name(), lasted(r.longest), words(r.Statement))
	f.Impact = rule.Impact{TimeLost: waited, Text: rule.T("%s blocked", connections(len(list)))}
	f.Evidence = slowReaderEvidence(v, s, list)
	look := rule.Fix{Text: rule.T("see what the client does instead of reading"), Tradeoff: "strace slows it down while it is attached"}
	if f.Subject.Kind == view.KindProcess {
		look.Command = shell.Line("cat /proc/%d/task/*/stack; strace -f -p %d", f.Subject.PID, f.Subject.PID)
	}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("make the client read all rows first and process them afterwards (a buffered result), or fetch less at a time (LIMIT, keyset pages)"),
		Tradeoff: "memory in the client",
	}, look, {
		Text:     rule.T("disconnect clients that do not read: they keep locks and old row versions"),
		Command:  ask(s, shell.SQL("set global net_write_timeout = 30")),
		Tradeoff: "slow but legitimate readers are disconnected in the middle of a result",
	}}
	return f
}

func slowReaderEvidence(v *view.View, s *view.MySQLServer, list []reader) (evidence []rule.Evidence) {
	for _, r := range list[:min(len(list), maxVictims)] {
		evidence = append(evidence, rule.Evidence{
			Metric: metric.MySQLSending, Value: r.longest.Seconds(),
			What:  rule.T("connection %d (%s) in state %q at %d looks, the longest for %s: %s", r.ID, account(r.User, r.Client), r.State, r.looks, lasted(r.longest), words(r.Statement)),
			Check: ask(s, shell.SQL("select * from information_schema.processlist where id = %d", r.ID)),
		})
		if r.hasSocket && r.queued > 0 {
			evidence = append(evidence, rule.Evidence{
				Metric: metric.TCPSendQueue, Value: float64(r.queued),
				What: rule.T("%s wait in the server's send queue to %s:%d; the client's window blocked it %s of its send time", unit.Bytes(r.queued), r.Client, r.ClientPort,
					unit.Share(min(r.heldUp, 1))),
				Check: shell.Line("%s ss -tnmi 'sport = :%d and dport = :%d'   # Send-Q, rwnd_limited", v.EnterNetNS(r.socket.NetNS), s.Port, r.ClientPort),
			})
		}
		if r.zeroWindow > 0 {
			evidence = append(evidence, rule.Evidence{
				Metric: metric.PacketsZeroWindow, Value: r.zeroWindow.Seconds(), Limit: rule.Limit(0),
				What:  rule.T("the window of %s:%d was closed for %s", r.Client, r.ClientPort, unit.Duration(r.zeroWindow)),
				Check: shell.Line("tshark -i any -Y 'tcp.analysis.zero_window && tcp.port == %d'", s.Port),
			})
		}
	}
	return evidence
}
