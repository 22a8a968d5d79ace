package net

import (
	"slices"
	"time"

	"rtrail/internal/direction"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var senderAppLimited = rule.Rule{
	ID:         "net/sender-app-limited",
	Title:      "a server sends its answers in pieces, with pauses",
	Plural:     "servers send their answers in pieces, with pauses",
	Resource:   "senders of data",
	Needs:      []recording.Table{recording.PacketConnections, recording.PacketSides},
	Explains:   []string{"rt/server-slow", "rt/worker-queueing", "rt/path-slow", "rt/client-slow"},
	Thresholds: []*rule.Threshold{&trickles, &pausesShare, &answerShare, &pauseOfNote, &pausesOverRTT, &otherPauses, &minWait, &pktMissed},
	Seen:       answersSeen,
	Detect:     detectSenderAppLimited,
}

var (
	trickles = rule.Threshold{Name: "trickles", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Answers with pauses. A single one may be an accident."}
	pausesShare = rule.Threshold{Name: "pauses-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the answers' time with nothing in flight although the reader's window was open. The rest may be ACKs that the reader delays by 40 ms; the sender is silent meanwhile, too."}
	answerShare = rule.Threshold{Name: "answer-share", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the whole wait that is within answers. Users do not notice less."}
	pauseOfNote = rule.Threshold{Name: "pause-of-note", Value: direction.LongDownload.Seconds(), Unit: "seconds", Source: rule.Judgement,
		Reason: "Pauses per answer. The recording counts longer downloads separately."}
	pausesOverRTT = rule.Threshold{Name: "pauses-over-rtt", Value: 10, Unit: "ratio", Source: rule.Judgement,
		Reason: "Round trips of pause per answer. A sender that waits for an ACK pauses for one round trip."}
	otherPauses = rule.Threshold{Name: "other-pauses", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the answers' time due to closed windows or lost packets. Above it the sender is not the cause."}
	minWait = rule.Threshold{Name: "min-wait", Value: 0.05, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Seconds waited per second. Less is not worth a finding."}
)

// trickle sums up the answers of a service.
type trickle struct {
	s            *view.PacketService
	answers      int64
	rt, download time.Duration
	paused       time.Duration
	long         int64         // answers that took long to arrive
	longest      time.Duration // of one answer; 0: not known
	worst        *view.PacketConnection
}

func detectSenderAppLimited(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		sent := s.Sent("server")
		t := trickle{s: s, answers: sent.Transactions, rt: sent.RTSum, download: sent.Download, paused: sent.Paused, long: sent.LongDownloads, longest: sent.LongestDownload}
		for _, c := range s.Connections {
			if c.Transactions == 0 {
				continue
			}
			if t.worst == nil || c.FromServer.AppLimited > t.worst.FromServer.AppLimited {
				t.worst = c
			}
		}
		if c := t.confidence(v); c > 0 && t.worst != nil {
			found = append(found, t.finding(v, c))
		}
	}
	return found, nil
}

func (t *trickle) each() time.Duration { return t.paused / time.Duration(max(t.answers, 1)) }

// single says that one answer makes most of the pauses, or too few for a habit: who
// waits for news, or for the end of something, is answered in two parts.
func (t *trickle) single() bool {
	if t.longest == 0 {
		return false // a recording of an older version does not tell
	}
	paused, download := t.paused-t.longest, t.download-t.longest
	return t.long < int64(trickles.Value) || paused/time.Duration(t.answers) < pauseOfNote.Duration() || float64(paused) < pausesShare.Value*float64(download)
}

func (t *trickle) confidence(v *view.View) rule.Confidence {
	server, client, ok := t.s.ConnectRTT()
	rtt := time.Duration(0)
	if ok {
		rtt = server + client
	}
	switch {
	case t.answers < int64(trickles.Value), t.each() < max(pauseOfNote.Duration(), pausesOverRTT.Times(rtt)):
		return 0
	case t.single(), float64(t.paused) < pausesShare.Value*float64(t.download), float64(t.download) < answerShare.Value*float64(t.rt+t.download):
		return 0
	case float64(t.s.ZeroWindow+t.s.Retransmit) > otherPauses.Value*float64(t.download), perSecond(v, t.paused) < minWait.Value:
		return 0
	case pktInferred(t.s):
		// Where answers end is not known: what comes after a pause may be news that
		// nobody waited for.
		return rule.Possible
	}
	return pktAtMost(v, rule.Certain)
}

func (t *trickle) finding(v *view.View, c rule.Confidence) rule.Finding {
	check := tshark(v, shell.Display("%s && tcp.srcport == %d && tcp.len > 0", pktHost("src", t.s.Server), t.s.Port), "tcp.stream", "tcp.time_delta", "tcp.len")
	f := rule.Finding{Subject: v.ServiceEntity(t.s), Confidence: c, Affects: v.EndsOf(t.s)}
	f.Headline = rule.T("%s sends its answers with pauses: for %s of each answer it had nothing to send, and the client's window was open", t.s.Name(), unit.Duration(t.each()))
	f.Impact = rule.Impact{TimeLost: perSecond(v, t.paused), Text: rule.T("%s of %s in %d answers", unit.Duration(t.paused), unit.Duration(t.rt+t.download), t.answers)}
	f.Evidence = []rule.Evidence{
		{Metric: metric.PacketsAppLimited, What: rule.T("nothing in flight and the window open for %s of the %s between first and last packets of answers", unit.Duration(t.paused), unit.Duration(t.download)),
			Value: t.paused.Seconds(), Check: check},
		{Metric: metric.PacketsDownload, What: rule.T("answers take %s to arrive after %s until they begin", unit.Duration(t.download/time.Duration(t.answers)), unit.Duration(t.rt/time.Duration(t.answers))),
			Value: (t.download / time.Duration(t.answers)).Seconds(), Check: check},
		{Metric: metric.PacketsAppLimited, What: rule.T("most on %s: %s", pktEnds(t.worst), unit.Duration(t.worst.FromServer.AppLimited)),
			Value: t.worst.FromServer.AppLimited.Seconds(), Check: check},
	}
	look := rule.Fix{Text: rule.T("see what the server waits for between two writes: a scan for rows, a backend, a sleep, a small buffer that it flushes"), Tradeoff: "none"}
	look.Command = shell.Line("ss -tnpi 'sport = :%d'   # on the server's host: which program it is", t.s.Port)
	if f.Subject.PID != 0 {
		look.Command, look.Tradeoff = shell.Line("strace -f -tt -e trace=write,sendto,writev,nanosleep -p %d", f.Subject.PID), "strace slows it down while it is attached"
	}
	f.Fixes = []rule.Fix{
		look,
		{Text: rule.T("buffer the answer and send it at once, if no client needs its beginning early"), Tradeoff: "the first byte comes later"},
	}
	return f
}

// answersSeen says whether a service gave so many answers as make a fault.
func answersSeen(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool { return s.Count >= int64(trickles.Value) })
}
