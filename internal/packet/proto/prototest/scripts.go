package prototest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Script is a conversation, and what a decoder is to find in it.
type Script struct {
	Name   string
	Steps  []Step
	Midway bool     // the beginning of the connection was not captured
	Uncut  bool     // what is found depends on the cuts: bytes are missing, or cut off
	Want   []string // as Unsized words exchanges
}

// Scripts runs scripts in which all values begin with secret: however the bytes are cut
// into chunks, the same is found, no value is shown, and no server owes an answer to a
// request for which it waits by design.
func Scripts(t *testing.T, p proto.Protocol, list []Script) {
	t.Helper()
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			whole := Events(s.Steps)
			got := Run(p, whole, s.Midway, flow.Finished)
			if diff := cmp.Diff(s.Want, Unsized(got)); diff != "" {
				t.Fatal(diff)
			}
			for n := 1; n < 40 && !s.Uncut; n++ {
				again := Run(p, Recut(whole, n), s.Midway, flow.Finished)
				if diff := cmp.Diff(got, again); diff != "" {
					t.Fatalf("cut into pieces of %d: %s", n, diff)
				}
			}
			if all := strings.Join(got, "\n"); strings.Contains(all, "secret") {
				t.Errorf("a value is shown:\n%s", all)
			}
			for n := range s.Steps {
				owesNoWait(t, p, s.Steps[:n+1], s.Midway)
			}
		})
	}
}

// owesNoWait fails if the server is said to owe an answer after some steps although the
// oldest request then is one for which it waits by design.
func owesNoWait(t *testing.T, p proto.Protocol, steps []Step, midway bool) {
	t.Helper()
	var open oldest
	parser := p.New(&open, midway)
	last := feed(parser, Events(steps))
	if debtor, ok := parser.(proto.Debtor); !ok || !debtor.Owes() {
		return
	}
	open = oldest{}
	parser.End(last, flow.Open)
	if open.first.Doubt&proto.Blocking != 0 {
		t.Errorf("Owes is true after step %d, but the oldest request, %s, is Blocking: the server waits by design", len(steps), open.first.Command)
	}
}

// oldest keeps the request without answer that was sent first.
type oldest struct{ first proto.Exchange }

func (o *oldest) Exchange(e *proto.Exchange) {
	if e.Status == proto.Unanswered && (o.first.Request.Empty() || e.Request.Start < o.first.Request.Start) {
		o.first = *e
	}
}
