package rt

import (
	"fmt"
	"time"

	"rtrail/internal/protocol"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

var (
	sameTime = rule.Threshold{Name: "same-time", Value: 0.9, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the fastest tenth of a statement's answers to the slowest. Work varies more; a timeout does not."}
	askedAgain = rule.Threshold{Name: "asked-again", Value: 0.1, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the pause before a request to its response time. Clients of a long poll ask again at once."}
)

// longPoll says whether the statement that takes most of the time may be an HTTP long poll,
// in which the server waits for an event or a timeout because it is asked to: it is always
// answered after the same time, clients ask again at once on the same connection, and the
// server's other requests are fast. An endpoint that works so long for clients without a
// pause looks the same.
func (x *slowServer) longPoll() bool {
	t, s := x.statement, x.s
	if t == nil || protocol.Of(s.Proto).Summary != protocol.Path || t.RTMax < noticed.Duration() {
		return false
	}
	others := s.Count - t.Count
	return float64(others) >= minAnswers.Value && slowerThanItself.Times((s.RTSum-t.RTSum)/time.Duration(others)) <= t.RTP10 &&
		float64(t.RTP10) >= sameTime.Value*float64(t.RTMax) && x.again()
}

// again says whether clients ask the statement again as soon as they have the answer, as far
// as transactions were kept. First ones of a connection do not tell.
func (x *slowServer) again() bool {
	t := x.statement
	n, soon := 0, 0
	for _, k := range x.v.PacketTransactions() {
		if k.Server != t.Server || k.ServerPort != t.ServerPort || k.Proto != t.Proto || k.Fingerprint != t.Fingerprint || k.Idle < 0 || k.RT < 0 {
			continue
		}
		n++
		if float64(k.Idle) <= askedAgain.Value*float64(k.RT) {
			soon++
		}
	}
	return n >= minResends && float64(soon) >= sameTime.Value*float64(n)
}

// minResends is how many requests must tell that clients ask again at once.
const minResends = 3

// polled keeps both readings of what may be a long poll.
func (x *slowServer) polled() error {
	t, s := x.statement, x.s
	others := s.Count - t.Count
	return &rule.NotJudged{
		Needs: "whether " + short(t.Fingerprint) + " is a long poll",
		Why: fmt.Sprintf("a long poll waits by design, a slow request looks the same: %s of the time of %s, always %s to %s and asked again at once; %s took %s",
			unit.Share(float64(t.RTSum)/float64(s.RTSum)), s.Name(), unit.Duration(t.RTP10), unit.Duration(t.RTMax),
			unit.Plural(others, "other request", "other requests"), unit.Duration((s.RTSum-t.RTSum)/time.Duration(others))),
		How: shell.Say("ask who wrote it what it waits for, or look at the server's stacks meanwhile: a long poll waits for an event or a timer"),
	}
}
