package rt

import (
	"slices"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

const (
	// maxHeld is how many bytes of a connection are kept while its decoder may
	// still be changed: the longest logins take 4 KB.
	maxHeld = 8 << 10
	// maxEvents bounds the chunks and gaps that they came in.
	maxEvents = 64
	// heldBudget bounds what all connections of a worker keep for that.
	heldBudget = 8 << 20
	// patientTurns is how often a client may speak before a decoder that was only
	// guessed must have understood a request. Logins that ask for encryption and
	// exchange secrets take four.
	patientTurns = 5
	// watchedTurns is how often a client may speak before bytes that nobody knew
	// are no longer compared with what decoders know.
	watchedTurns = 8
)

// trial is the time in which the choice of a decoder can be taken back. Its bytes
// go to the decoder at once; they are kept to give them to another one.
type trial struct {
	events   []event
	bytes    []byte
	fits     [2][]proto.Match // by direction, for each protocol: of the first bytes of its latest turn
	seen     [2]bool          // the direction has sent something
	aside    [2]bool          // the bytes that were compared may lie within a message
	ruledOut []bool           // for each protocol: the connection did not begin with bytes of its
	turn     flow.Dir         // who spoke last
	turns    uint16           // of the client
	chosen   int              // index of the protocol
	strong   bool             // its bytes tell, not only the port
	told     bool             // the decoder has given out an exchange, with the last bytes
	full     bool             // not all could be kept: the choice is final, unless another turn begins
	partial  bool             // what is kept is not all that came
}

// event is a chunk, or a gap, that came during a trial.
type event struct {
	flow.Chunk
	from, to int // its data in the bytes that are kept
	gap      int64
}

// try begins the trial of a connection.
func (w *Tracker) try() *trial {
	var t *trial
	if n := len(w.trials); n > 0 {
		t = w.trials[n-1]
		w.trials = w.trials[:n-1]
		clear(t.ruledOut)
		*t = trial{events: t.events[:0], bytes: t.bytes[:0], fits: t.fits, ruledOut: t.ruledOut}
		return t
	}
	n := len(w.Protocols) - 1
	return &trial{fits: [2][]proto.Match{make([]proto.Match, n), make([]proto.Match, n)}, ruledOut: make([]bool, n)}
}

// decide ends the trial: the decoder stays.
func (a *Assembler) decide() {
	t := a.trial
	a.trial = nil
	a.tracker.held -= len(t.bytes)
	a.greet()
	if cap(t.bytes) <= maxHeld && len(a.tracker.trials) < 64 {
		a.tracker.trials = append(a.tracker.trials, t)
	}
}

// forget lets go of what was kept.
func (t *trial) forget(w *Tracker) {
	w.held -= len(t.bytes)
	t.events, t.bytes, t.full, t.partial = t.events[:0], t.bytes[:0], false, true
}

// hold keeps a chunk, or a gap.
func (t *trial) hold(w *Tracker, c *flow.Chunk, gap int64) {
	if t.full {
		return
	}
	n := len(c.Data)
	if len(t.events) == maxEvents || len(t.bytes)+n > maxHeld || w.held+n > heldBudget {
		t.forget(w)
		t.full = true
		return
	}
	e := event{Chunk: *c, from: len(t.bytes), gap: gap}
	t.bytes = append(t.bytes, c.Data...)
	w.held += n
	e.to, e.Data = len(t.bytes), nil
	t.events = append(t.events, e)
}

// attempt takes bytes while the decoder may still be changed.
func (a *Assembler) attempt(c *flow.Chunk) {
	t := a.trial
	if first := !t.seen[c.Dir]; first || c.Dir != t.turn {
		a.begins(c, first)
	}
	if a.trial == nil {
		a.parser.Data(c)
		return
	}
	t.hold(a.tracker, c, 0)
	t.told = false
	a.parser.Data(c)
	if a.trial != nil && t.told && c.Dir == flow.ToServer {
		// All that was not given out yet begins with this chunk.
		t.forget(a.tracker)
		t.hold(a.tracker, c, 0)
	}
}

// begins looks at the first bytes of a turn, and changes the decoder if they fit
// another one better. first says that the direction had sent nothing before.
func (a *Assembler) begins(c *flow.Chunk, first bool) {
	t, last := a.trial, len(a.tracker.Protocols)-1
	if c.Dir == flow.ToServer {
		t.turns++
	}
	t.seen[c.Dir], t.turn = true, c.Dir
	if first || t.chosen == last {
		a.compare(c, first)
		best, strong := a.best()
		switch {
		case a.parser == nil:
			t.chosen, t.strong = best, strong
			a.use(best)
		case best != t.chosen:
			a.change(best, strong, c)
		default:
			t.strong = strong
		}
	}
	switch {
	case a.trial == nil: // what was kept told the new decoder enough
	case t.strong && t.seen[flow.ToServer] && t.seen[flow.ToClient], t.chosen == last && t.turns > watchedTurns:
		a.decide()
	case t.chosen != last && !t.strong && t.turns > patientTurns:
		a.change(last, false, c)
		a.decide()
	}
}

// compare asks all decoders what they think of the first bytes of a turn. Those
// whose bytes a connection cannot have begun with are expected no more.
func (a *Assembler) compare(c *flow.Chunk, first bool) {
	t := a.trial
	t.aside[c.Dir] = !first || a.conn.Midway || c.Offset > 0
	for i := range t.fits[c.Dir] {
		fit := a.tracker.Protocols[i].Sniff(c.Dir, c.Data)
		t.fits[c.Dir][i] = fit
		t.ruledOut[i] = t.ruledOut[i] || fit == proto.No && !t.aside[c.Dir]
	}
}

// best is the decoder that fits best, and whether the bytes themselves say so.
// Where they do not, it must be expected of the server. Bytes that cannot be its
// own rule a decoder out, unless they may lie within a message.
func (a *Assembler) best() (best int, strong bool) {
	t, last := a.trial, len(a.tracker.Protocols)-1
	best = last
	for i := range a.tracker.Protocols[:last] {
		var count [proto.Sure + 1]int
		foreign := false
		for d := range t.fits {
			if t.seen[d] {
				count[t.fits[d][i]]++
				foreign = foreign || t.fits[d][i] == proto.No && !t.aside[d]
			}
		}
		switch {
		case foreign:
		case count[proto.Sure] > 0, count[proto.Likely] == len(t.fits):
			return i, true
		case best == last && !t.ruledOut[i] && count[proto.Maybe]+count[proto.Likely] > 0 && a.tracker.expects(&a.tracker.Protocols[i], a.conn.Server):
			best = i
		}
	}
	return best, false
}

// change gives what was kept to another decoder. c, which is not kept yet, made it
// necessary.
func (a *Assembler) change(to int, strong bool, c *flow.Chunk) {
	t, last := a.trial, len(a.tracker.Protocols)-1
	switch {
	case t.chosen == last && t.turns > 1 && c.Dir == flow.ToServer && strong:
		// What came before was understood as far as it can be.
		a.parser.End(c.Stamp, flow.Open)
		t.forget(a.tracker)
	case t.full && to != last && !(strong && c.Dir == flow.ToServer):
		return // the bytes that it would need are gone
	}
	t.chosen, t.strong = to, strong
	a.use(to)
	a.replay()
}

// replay feeds a new decoder with what was kept.
func (a *Assembler) replay() {
	t := a.trial
	for i := range t.events {
		e := &t.events[i]
		if e.gap > 0 {
			a.parser.Gap(e.Dir, e.gap, e.Stamp)
			continue
		}
		c := e.Chunk
		c.Data = t.bytes[e.from:e.to]
		a.parser.Data(&c)
	}
}

// fallBack is called when nothing more will come and the decoder has given out
// nothing: it was expected, and understood none of what both sides said.
func (a *Assembler) fallBack(at flow.Stamp, how flow.Ending) {
	t, last := a.trial, len(a.tracker.Protocols)-1
	if t.chosen == last || t.strong || t.full || !t.seen[flow.ToServer] || !t.seen[flow.ToClient] {
		return
	}
	t.chosen = last
	a.use(last)
	a.replay()
	a.ending = a.endingOf(at, how)
	a.parser.End(at, how)
}

// expects says whether a server is known to speak a protocol.
func (w *Tracker) expects(p *proto.Protocol, server flow.Endpoint) bool {
	if spoken, ok := w.Spoken[server]; ok {
		return spoken == p.Name
	}
	return slices.Contains(p.Ports, server.Port)
}
