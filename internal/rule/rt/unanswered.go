package rt

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

// A server that hangs while it is captured answers nothing, so that no response
// time shows it. What waits when the capture ends does: how long is a lower bound.

// hung is a service that requests wait for much longer than such requests ever
// did.
type hung struct {
	v *view.View
	s *view.PacketService

	count, within int64
	waited        time.Duration
	longest       recording.PacketUnanswered
	usual         time.Duration // the slowest answer to a statement of those that wait
	answers       int64         // to those statements
	statements    map[string]bool
	// polled says of HTTP that its clients ask again as soon as they are answered,
	// and always the same: waiting may be what they came for (long polling).
	polled bool
	// strange says that nothing like what waits was answered before, so that it may
	// take its time.
	strange bool
	sure    rule.Confidence
	// Services on the client of the longest wait that do not answer either: they
	// wait for this one.
	victims []*view.PacketService
}

// hangs are services that have stopped answering; of doubtful ones nobody knows
// whether an answer is due.
type hangs struct {
	known, doubtful []*hung
	victims         []*view.PacketService // of one of them
}

func hangsIn(v *view.View) hangs {
	return view.Memo(v, "rt/hangs", func() (all hangs) {
		all.find(v)
		all.spare()
		return all
	})
}

func (all *hangs) find(v *view.View) {
	for _, s := range v.PacketServices() {
		if s.Proto == "tls" || len(s.Waiting) == 0 {
			continue // farewells, pings and grants of window look like requests within TLS
		}
		h := hung{v: v, s: s, statements: map[string]bool{}}
		h.measure()
		if h.count == 0 || perSecond(v, h.waited) < minTime.Value {
			continue
		}
		if h.sure = h.confidence(); h.sure > 0 {
			all.known = append(all.known, &h)
		} else {
			all.doubtful = append(all.doubtful, &h)
		}
	}
}

// spare takes out those that cannot answer because another one does not answer
// them. Between services of one address nobody can tell.
func (all *hangs) spare() {
	every := slices.Concat(all.known, all.doubtful)
	victim := func(h *hung) bool {
		i := slices.IndexFunc(every, func(o *hung) bool {
			return o.s.Server != h.s.Server && o.longest.Client == h.s.Server && h.longest.Client != o.s.Server
		})
		if i >= 0 {
			every[i].victims = append(every[i].victims, h.s)
			all.victims = append(all.victims, h.s)
		}
		return i >= 0
	}
	all.known, all.doubtful = slices.DeleteFunc(all.known, victim), slices.DeleteFunc(all.doubtful, victim)
}

// about says whether a service is one of them, or a victim of one.
func (all *hangs) about(s *view.PacketService) bool {
	return slices.Contains(all.victims, s) || slices.ContainsFunc(all.known, func(h *hung) bool { return h.s == s })
}

// measure takes the waits that are long for their statement or, if there are
// none, those of unfamiliar ones that are long for the service.
func (h *hung) measure() {
	polls := true
	for i := range h.s.Waiting {
		w := &h.s.Waiting[i]
		usual, n, polled := h.usually(w)
		if h.take(w, usual, n) {
			polls = polls && polled
		}
	}
	h.polled = polls && h.s.Proto == "http" && len(h.statements) == 1 && h.within < h.count
	if h.count > 0 {
		return
	}
	h.strange = true
	for i := range h.s.Waiting {
		if _, n, _ := h.usually(&h.s.Waiting[i]); n >= int64(minRequests.Value) {
			continue // it is known to take so long
		}
		h.take(&h.s.Waiting[i], h.s.RTMax+h.s.Download/time.Duration(max(h.s.Count, 1)), h.s.Count)
	}
}

// take counts a wait if it is long beside n answers that took usual at most.
func (h *hung) take(w *recording.PacketUnanswered, usual time.Duration, n int64) bool {
	if n < int64(minRequests.Value) || w.Over < max(gaveUpAfter.Duration(), gaveUpTimes.Times(usual)) {
		return false
	}
	h.count += w.Count
	h.within += w.Within
	h.waited += w.Waited
	if w.Longest > h.longest.Longest {
		h.longest = *w
	}
	h.usual = max(h.usual, usual)
	if k := w.Command + " " + w.Fingerprint; !h.statements[k] {
		h.statements[k] = true
		h.answers += n
	}
	return true
}

// usually is how long such a request took at most, answer included, of how many.
// polled says that clients asked it again sooner than it was answered. A server
// that has told how much it will send has no reason to pause, whatever was asked.
func (h *hung) usually(w *recording.PacketUnanswered) (most time.Duration, n int64, polled bool) {
	if w.Within == w.Count || w.Command == "" && w.Fingerprint == "" {
		return h.s.RTMax + h.s.Download/time.Duration(max(h.s.Count, 1)), h.s.Count, false
	}
	t, ok := statementsOf(h.v)[statementKey{w.Server, w.ServerPort, w.Proto, w.Command, w.Fingerprint}]
	if !ok {
		return 0, 0, false
	}
	return t.RTMax + t.Download/time.Duration(max(t.Count, 1)), t.Count, t.IdleBefore < t.RTSum
}

// statementKey tells the statements of a recording apart.
type statementKey struct {
	server                      string
	port                        int32
	proto, command, fingerprint string
}

func statementsOf(v *view.View) map[statementKey]recording.PacketStatement {
	return view.Memo(v, "rt/statements", func() map[statementKey]recording.PacketStatement {
		known := map[statementKey]recording.PacketStatement{}
		for _, t := range v.PacketStatements() {
			known[statementKey{t.Server, t.ServerPort, t.Proto, t.Command, t.Fingerprint}] = t
		}
		return known
	})
}

func (h *hung) confidence() rule.Confidence {
	switch {
	case inferred(h.s), h.polled, h.strange:
		return 0
	case h.s.Proto == "http" && len(h.statements) == 1 && h.within < h.count, h.count < int64(gaveUpClients.Value), dropped(h.v):
		// One resource of HTTP may wait for something by design, one client for
		// something that it alone asked for, and answers may be among what the
		// capture dropped.
		return rule.Possible
	}
	return atMost(h.v, h.s, rule.Likely)
}

// dropped says that the capture is known to lack packets.
func dropped(v *view.View) bool {
	return slices.ContainsFunc(v.PacketCaptures(), func(c recording.PacketCapture) bool { return c.Dropped > 0 })
}

// inferred says that the requests of a service are not decoded but inferred
// from who spoke when: nobody knows which message has an answer.
func inferred(s *view.PacketService) bool {
	return s.Proto == "generic" || float64(s.Approximate) > mostlyInferred.Value*float64(s.Count)
}

// doubt says why a service that does not answer is not accused.
func (h *hung) doubt() error {
	why := "its protocol is not decoded: the last message may have no answer"
	switch {
	case inferred(h.s):
	case h.strange:
		why = "nothing like " + statementOf(&h.longest) + " was answered before: it may take that long, or wait for events by design (long polling)"
	case h.polled:
		why = "its clients always repeat the same request at once: it may wait for events by design (long polling)"
	}
	return &rule.NotJudged{
		Needs: "answers to all requests, or to know which have none",
		Why: fmt.Sprintf("%s to %s had waited for up to %s when the capture ended, and %s", unit.Plural(h.count, "request", "requests"), h.s.Name(),
			unit.Duration(h.longest.Longest), why),
		How: shell.Say("look into the server, or capture until the clients have their answers or give up"),
	}
}

func (h *hung) finding() rule.Finding {
	lost := perSecond(h.v, h.waited)
	f := rule.Finding{Subject: h.v.ServiceEntity(h.s), Confidence: h.sure, Headline: h.headline(), Evidence: h.evidence()}
	f.Impact = rule.Impact{TimeLost: max(lost, 0.001), Text: rule.T("at least %s s waited for it per second", unit.Number(lost))}
	for _, s := range h.victims {
		f.Affects = append(f.Affects, h.v.ServiceEntity(s))
		f.Notes = append(f.Notes, rule.T("%s does not answer either: its host waits for this service", s.Name()))
	}
	f.Fixes = (&slowServer{v: h.v, s: h.s}).fixes()
	return f
}

func (h *hung) headline() rule.Text {
	n, wait := unit.Plural(h.count, "request", "requests"), unit.Duration(h.longest.Longest)
	if h.within == h.count {
		return rule.T("%s stopped in the middle of answers: when the capture ended, the clients of %s had waited for the rest, up to %s", h.s.Name(), n, wait)
	}
	return rule.T("%s does not answer: %s that reached it had waited when the capture ended, up to %s, where %s took %s at most", h.s.Name(), n, wait,
		unit.Plural(h.answers, "answer to the same", "answers to the same"), unit.Duration(h.usual))
}

func (h *hung) evidence() []rule.Evidence {
	show := tshark(h.v, h.s, shell.Display("tcp.port == %d", h.longest.ClientPort), "frame.number", "frame.time_relative", "tcp.srcport", "tcp.len", "tcp.ack")
	list := []rule.Evidence{{
		Metric: metric.RTUnanswered, Value: h.waited.Seconds(), Check: packets(h.v, h.s).With("--by connection"),
		What: rule.T("%s waited %s in total, on %d connections; %d of them for the rest of an answer", unit.Plural(h.count, "request", "requests"), unit.Duration(h.waited),
			max(h.s.Sent("client").Connections, h.count), h.within),
	}, {
		Metric: metric.RTUnanswered, Value: h.longest.Longest.Seconds(), Check: show,
		What: rule.T("longest %s, by %s:%d since %s: the server's kernel has acknowledged it, and the connection is open", statementOf(&h.longest), h.longest.Client, h.longest.ClientPort,
			unit.ClockMillis(h.longest.At)),
	}, {
		Metric: metric.RTQuantiles, Value: h.usual.Seconds(), Check: packets(h.v, h.s).With("--by statement"),
		What: rule.T("%s like these were answered in at most %s", unit.Plural(h.answers, "request", "requests"), unit.Duration(h.usual)),
	}}
	if last := lastAnswer(h.s); last.Before(h.longest.At) {
		list = append(list, rule.Evidence{Metric: metric.RTAnswersSince, Value: 0, Check: packets(h.v, h.s).With("--by second"),
			What: rule.T("no request was answered since: the last answers of %s came in the second %v", h.s.Name(), unit.Clock(last))})
	}
	return list
}

// statementOf words what waits.
func statementOf(w *recording.PacketUnanswered) string {
	return short(cmp.Or(w.Fingerprint, w.Command, "a request"))
}

// lastAnswer is the second in which a service gave its last answer.
func lastAnswer(s *view.PacketService) (last time.Time) {
	for i := range s.Seconds {
		if s.Seconds[i].Count > 0 {
			last = s.Seconds[i].At
		}
	}
	return last
}

// allHeard says that nobody is known to wait for an answer that does not come:
// because the server hangs, or because not one packet of it comes back. How long
// they wait is in no response time, and how it ends is not known.
func allHeard(v *view.View) bool {
	h := hangsIn(v)
	return len(h.known)+len(h.doubtful) == 0 &&
		!slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool { return s.Sent("client").Unheard > 0 })
}
