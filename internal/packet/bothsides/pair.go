// Package bothsides compares two captures of the same traffic, one taken at the
// clients' side and one at the servers' side, and splits the time of each
// transaction into what the client, the way there, the server and the way back
// took.
//
// It reads both captures twice. The first pass finds which connections are the
// same, by addresses where they are equal and through NAT by sequence numbers,
// and how far the clocks are apart. The second pass runs both captures side by
// side, so that only transactions wait in memory that the other capture has yet
// to give.
package bothsides

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/unit"
)

// The two captures.
const (
	AtClient = 0
	AtServer = 1
)

// Capture is that of one side, which Open opens each time from its beginning.
type Capture struct {
	Files []string // several continue each other; "-" cannot be read twice
	Open  func(context.Context) (pcap.Source, error)
}

// name is what errors call it.
func (c *Capture) name() string { return strings.Join(c.Files, ", ") }

// Options is what to compare.
type Options struct {
	Sides   [2]Capture // at the client and at the server
	Ports   []uint16   // only these server ports, on either side; none: all
	Slowest int        // transactions kept in Result.Slowest; 0: 10
	// Each is given every transaction that was split, about in the order in which
	// they ended; valid during the call only, never called twice at a time. nil:
	// no process listens.
	Each func(*Split)
	// Engine is handed on; Collector and Workers are set here.
	Engine engine.Options
}

// Split is a transaction and where its time went. Upload, ResentThere,
// PathThere, Serve, ResentBack, PathBack and Download add up to what its client
// waited, and none of them is negative.
type Split struct {
	rt.Transaction               // as the client's capture has it
	Backend        flow.Endpoint // the server as its own capture has it
	ServerFrame    uint64        // first request packet in the server's capture

	ResentThere time.Duration // until the copy of the last request packet was sent that arrived
	PathThere   time.Duration // the last request packet's way to the server
	ServeThere  time.Duration // at the server: last request packet to first response packet
	ResentBack  time.Duration // until the copy of the first response packet was sent that arrived
	PathBack    time.Duration // the first response packet's way to the client
	Sending     time.Duration // at the server: first to last response packet

	Uncertainty time.Duration // PathThere may be too long by so much and PathBack too short, or the reverse
	Clamped     bool          // one way came out negative, within the uncertainty, and was set to 0
}

// Result is what two captures say together.
type Result struct {
	Sides      [2]Side
	Swapped    bool // the captures were given the wrong way round, and were exchanged
	Matched    int  // connections that both captures have
	Translated int  // of them, those with other addresses or ports on the other side
	BySequence int  // of them, those that were recognised by sequence numbers, not by their handshake
	Clock      Clock
	Services   []*Service // those that were waited for longest first
	Slowest    []Split    // by what their clients waited, descending
	Excluded   Excluded   // over all services
}

// Side is what was read of one capture.
type Side struct {
	Capture
	Report      engine.Report
	Connections int   // to the ports that were asked for, on either side
	Missed      int64 // bytes of TCP streams that were acknowledged but not captured
	Unmatched   Unmatched
}

// Unmatched counts connections that only one capture has, by reason.
type Unmatched struct {
	Outside int // the other capture does not cover their time
	Silent  int // their beginning was not captured and too little of them to recognise them
	Absent  int // the other capture should have them, and does not
	// Unanswered are those of Absent whose SYN was never answered: they never got
	// through.
	Unanswered int
	Servers    map[flow.Endpoint]int // of Absent: whom they went to
}

// Total is how many there are.
func (u *Unmatched) Total() int { return u.Outside + u.Silent + u.Absent }

// Excluded counts transactions of matched connections that could not be split,
// by reason.
type Excluded struct {
	OnlyClient uint64 // the server's capture lacks them
	OnlyServer uint64 // the client's capture lacks them
	Doubtful   uint64 // without answer, ambiguous or lossy in one of the captures
	Different  uint64 // the captures disagree where the request ends
	Contradict uint64 // their times contradict each other: a capture missed a copy of a packet
}

// Total is how many there are.
func (e *Excluded) Total() uint64 {
	return e.OnlyClient + e.OnlyServer + e.Doubtful + e.Different + e.Contradict
}

func (e *Excluded) add(o *Excluded) {
	e.OnlyClient += o.OnlyClient
	e.OnlyServer += o.OnlyServer
	e.Doubtful += o.Doubtful
	e.Different += o.Different
	e.Contradict += o.Contradict
}

// Errors.
var (
	// ErrNothingInCommon says that no connection is in both captures.
	ErrNothingInCommon = errors.New("the captures have no connection in common")
	errSwapped         = errors.New("the captures are the wrong way round")
)

// Run compares. Standard input cannot be one of the captures, because they are
// read twice.
func Run(ctx context.Context, o Options) (*Result, error) {
	for _, side := range o.Sides {
		if slices.Contains(side.Files, "-") {
			return nil, errors.New("comparing captures of both sides: standard input (-) cannot be read twice: write it to a file first")
		}
	}
	if slices.Equal(o.Sides[AtClient].Files, o.Sides[AtServer].Files) {
		return nil, fmt.Errorf("comparing captures of both sides: %s is given for both: it takes one captured at the client and one captured at the server", o.Sides[AtClient].name())
	}
	if o.Slowest <= 0 {
		o.Slowest = 10
	}
	r := &Result{}
	surveys, err := surveyBoth(ctx, &o)
	if err != nil {
		return nil, err
	}
	m := match(surveys[AtClient], surveys[AtServer])
	if len(m.pairs) == 0 {
		return nil, nothing(m, surveys)
	}
	r.Clock, err = m.clock(surveys)
	if errors.Is(err, errSwapped) {
		r.Swapped = true
		o.Sides[0], o.Sides[1] = o.Sides[1], o.Sides[0]
		surveys[0], surveys[1] = surveys[1], surveys[0]
		m = match(surveys[AtClient], surveys[AtServer])
		r.Clock, err = m.clock(surveys)
	}
	if err != nil {
		return nil, err
	}
	r.Matched, r.Translated, r.BySequence = len(m.pairs), m.translated, m.bySequence
	for i, s := range surveys {
		r.Sides[i] = Side{Capture: o.Sides[i], Report: s.report, Connections: m.count(surveys, i), Missed: s.missed, Unmatched: m.unmatched(surveys, i, &r.Clock)}
		s.samples = nil
	}
	j := newJoiner(&o, surveys, m, &r.Clock)
	if err := j.run(ctx); err != nil {
		return nil, err
	}
	j.result(r)
	return r, nil
}

// surveyBoth makes the first pass over both captures, at the same time.
func surveyBoth(ctx context.Context, o *Options) ([2]*survey, error) {
	var out [2]*survey
	err := both(func(i int) error {
		src, err := o.Sides[i].Open(ctx)
		if err != nil {
			return err
		}
		defer src.Close()
		out[i] = newSurvey(o.Ports)
		e := o.Engine
		e.Workers, e.Collector = 1, func(int) engine.Collector { return out[i] }
		if out[i].report, err = engine.Run(ctx, src, e); err != nil {
			return fmt.Errorf("reading %s: %w", o.Sides[i].name(), err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if out[i].report.Packets == 0 {
			return fmt.Errorf("reading %s: there are no packets in it", o.Sides[i].name())
		}
		return nil
	})
	return out, err
}

// both does something for both captures at the same time, and tells the first
// error.
func both(do func(i int) error) error {
	failed := make(chan error, 1)
	go func() { failed <- crash.Guard(func() error { return do(AtServer) }) }()
	err := crash.Guard(func() error { return do(AtClient) })
	if other := <-failed; err == nil {
		err = other
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// nothing says what two captures without a common connection hold.
func nothing(m *matching, s [2]*survey) error {
	text := ""
	for i, name := range []string{"client's", "server's"} {
		r := &s[i].report
		text += fmt.Sprintf("; the %s has %d connections to %s, from %v to %v", name, m.count(s, i), s[i].busiest(),
			unit.Moment(time.Unix(0, r.First)), unit.Moment(time.Unix(0, r.Last)))
	}
	return fmt.Errorf("%w%s. Both must cover the same traffic at the same time; a proxy between them that opens connections of its own hides them from each other",
		ErrNothingInCommon, text)
}
