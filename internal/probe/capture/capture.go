// Package capture turns packets into evidence: it runs the packet engine over
// capture files or an interface and writes what it finds into the packet tables
// of a recording, bounded whatever the length of the capture.
package capture

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/packet/doubt"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/path"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// What is kept of a capture. Rules look at the worst, and at sums over all.
const (
	connections = 2000
	slowest     = 500
	statements  = 2000
	// seconds bounds the rows of services: a day of one, or an hour of twenty.
	seconds = 86400
)

// Options is how a capture is read.
type Options struct {
	Source string   // file names or interface, for people
	NetNS  string   // network namespace of the interface as the user named it; "" for the own one
	Point  string   // where it was taken: client, server, or "" when not known
	Ports  []uint16 // server ports that matter; none: all
	// Live says that packets were waited for until reading ended, not only until
	// the last one of them.
	Live bool
	// Every cuts the capture into intervals of packet time; 0: it is one.
	Every time.Duration
	// From and To are the only interval of which something is kept; what was before
	// only says which connections are there. Zero: all is kept.
	From, To time.Time
	// Flushed says that intervals end when Probe is sampled.
	Flushed bool
	// Second is given each second of each service of what is kept, as summary.Options says; nil:
	// nobody wants them. Not with Every and Flushed, whose intervals overlap.
	Second func(*summary.Second)
	// Engine is handed on; its Collector is set here.
	Engine engine.Options
}

// Result is what was read of a capture, or in an interval of it, ready to become
// evidence.
type Result struct {
	Options Options
	// Interval is when it began; zero: the result is about all of the capture.
	Interval time.Time
	// Report is complete if the result has the end of the capture; else it has the
	// packets, their time and losses.
	Report   engine.Report
	complete bool
	Summary  *summary.Summary
	// Carried connections are counted by the interval before too; of them, Resting
	// have no packets in this one.
	Carried, Resting int64
	Seconds          []recording.PacketService
	// Cut counts rows of Seconds that were left out.
	Cut int
	// Path is what became of packets on their way.
	Path path.Result
	// Resolvers is what became of queries of DNS, by server; Silent are some of
	// those that nobody answered, by time.
	Resolvers []recording.PacketResolver
	Silent    []rt.Transaction
	// Unanswered is what waited for servers when the interval or the capture ended.
	Unanswered []recording.PacketUnanswered
	// Stalls are the times in which services answered no request.
	Stalls []recording.PacketStall
	// Directions are sums over all connections.
	Directions directions
}

// Read runs the engine over a source until it ends or the context is done. The
// source is not closed. An error comes with what was read before it.
func Read(ctx context.Context, src pcap.Source, o Options) (*Result, error) {
	var all *Result
	_, err := ReadIntervals(ctx, src, o, func(r *Result) { all = r })
	return all, err
}

// ReadIntervals does the same and gives out what was seen as the options cut it,
// in the order of time, by one goroutine at a time.
func ReadIntervals(ctx context.Context, src pcap.Source, o Options, give func(*Result)) (engine.Report, error) {
	c := newCutter(&o)
	c.give = give
	return c.read(ctx, src)
}

// read runs the engine, and gives out what is left.
func (c *cutter) read(ctx context.Context, src pcap.Source) (engine.Report, error) {
	how := c.o.Engine
	how.Listen("", c.o.Ports...)
	watchers := c.watch(&how)
	if c.cuts() {
		c.source = src
		src = counted{src, c}
	}
	if !c.o.From.IsZero() {
		ctx, c.stop = context.WithCancel(ctx)
		defer c.stop()
	}
	report, err := engine.Run(ctx, src, how)
	end := report.Last
	if c.o.Live {
		end = max(end, time.Now().UnixNano())
	}
	for _, w := range watchers {
		if w != nil {
			w.finish(end)
		}
	}
	c.mu.Lock()
	c.report = &report
	c.mu.Unlock()
	if c.give != nil {
		c.results(end, c.give)
	}
	if err != nil {
		return report, fmt.Errorf("reading packets from %s: %w", c.o.Source, err)
	}
	return report, nil
}

// result puts together what the workers saw in an interval.
func (c *cutter) result(i *interval, last bool, end int64) *Result {
	r := &Result{Options: c.o, Interval: c.begins(i), Report: c.reportOf(i, last), complete: last, Summary: i.collectors.Result(), Seconds: i.seconds, Cut: i.cut}
	if r.Report.Packets == 0 && c.o.Live {
		r.Report.First, r.Report.Last = max(i.from, c.began), min(i.to.Load(), end)
	}
	for _, p := range i.parts {
		r.Carried += p.carried
		r.Resting += p.resting
	}
	r.pathOf(i.parts)
	r.fold()
	c.lookups(r, i.parts)
	r.Unanswered = unanswered(i.parts, min(i.to.Load(), end))
	r.Stalls = stallsOf(i.parts, time.Unix(0, r.Report.First))
	return r
}

// Write makes evidence of the result, once: the writer takes its rows over.
func (r *Result) Write(w *recording.Writer) {
	rows := recording.NewWriter(w.Started)
	r.write(rows)
	if !r.Interval.IsZero() {
		rows.Within(r.Interval)
	}
	w.Take(rows)
}

func (r *Result) write(w *recording.Writer) {
	first := time.Unix(0, r.Report.First)
	recording.Append(w, r.captureRow(first))
	recording.Give(w, r.Seconds)
	for _, c := range r.Summary.Connections {
		appendConnection(w, &c.Connection)
	}
	if d := r.Summary.Disconnect; d != nil && !r.kept(d.ID) {
		appendConnection(w, d)
	}
	for i := range r.Summary.Interrupted {
		if c := &r.Summary.Interrupted[i]; !r.kept(c.ID) && (r.Summary.Disconnect == nil || c.ID != r.Summary.Disconnect.ID) {
			appendConnection(w, &c.Connection)
		}
	}
	for service, t := range r.Summary.Services {
		recording.Append(w, histogramRows(first, service, t)...)
	}
	r.writePaths(w)
	recording.Give(w, r.Directions.rows(first, r.Path.LargestAcked))
	for key, s := range r.Summary.Statements {
		recording.Append(w, statementRow(key, s))
		recording.Append(w, errorRows(key, s)...)
	}
	for _, n := range r.Summary.Nestings {
		recording.Append(w, nestingRow(first, n))
	}
	recording.Append(w, r.Resolvers...)
	recording.Append(w, r.Stalls...)
	recording.Append(w, r.Unanswered...)
	r.writeTransactions(w)
}

// writeTransactions makes evidence of the transactions that were kept. One may
// have been kept for several reasons; it is written once.
func (r *Result) writeTransactions(w *recording.Writer) {
	type identity struct{ connection, id, request, response uint64 }
	written := map[identity]bool{}
	write := func(t *rt.Transaction) {
		if k := (identity{t.Connection, t.ID, t.RequestOffset, t.ResponseOffset}); !written[k] {
			written[k] = true
			recording.Append(w, TransactionRow(t))
		}
	}
	for i := range r.Summary.Slowest {
		write(&r.Summary.Slowest[i])
	}
	for i := range r.Silent {
		write(&r.Silent[i])
	}
	for i := range r.Summary.Interrupted {
		write(&r.Summary.Interrupted[i].Transaction)
	}
	for i := range r.Summary.Failures {
		write(&r.Summary.Failures[i])
	}
}

func (r *Result) kept(id uint64) bool {
	for _, c := range r.Summary.Connections {
		if c.ID == id {
			return true
		}
	}
	return false
}

func (r *Result) captureRow(first time.Time) recording.PacketCapture {
	dropped := int64(recording.Unknown)
	if r.Report.Loss.Known {
		dropped = int64(r.Report.Loss.Dropped)
	}
	told := r.Report
	if !r.complete {
		told = engine.Report{} // what could not be read is known in the end
	}
	notes := notesOf(&told, r.Summary)
	if r.Cut > 0 {
		notes = append(notes, fmt.Sprintf("%d seconds of services were left out", r.Cut))
	}
	if r.Directions.crowded() {
		notes = append(notes, fmt.Sprintf("more than %s and their services are told apart no further", unit.Plural(maxDirections, "client", "clients")))
	}
	return recording.PacketCapture{
		At: first, Last: time.Unix(0, r.Report.Last), Source: r.Options.Source, NetNS: r.Options.NetNS, Point: r.Options.Point, DecodeAs: decodeAs(r.Options.Engine.DecodeAs),
		Packets: int64(r.Report.Packets), Bytes: int64(r.Report.Bytes), Dropped: dropped, Missed: r.Summary.Missed,
		Duplicates: int64(r.Report.Duplicates), Unreadable: r.Report.Unreadable(),
		Connections: int64(r.Summary.Seen) + r.Resting, Carried: r.Carried, Resting: r.Resting,
		Note: strings.Join(notes, "; "),
	}
}

// decodeAs words what the user said that ports speak.
func decodeAs(ports map[uint16]string) string {
	var words []string
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		words = append(words, fmt.Sprintf("%d=%s", port, ports[port]))
	}
	return strings.Join(words, ",")
}

// notesOf are the doubts about a capture that its row has no numbers for.
func notesOf(r *engine.Report, s *summary.Summary) []string {
	var notes []string
	for _, d := range doubt.Of(r, s) {
		if d.Kind == doubt.Gap || d.Kind == doubt.Note {
			notes = append(notes, d.Text)
		}
	}
	return notes
}

// Tables are the tables that captures fill.
var Tables = []recording.Table{
	recording.PacketCaptures, recording.PacketConnections, recording.PacketSides, recording.PacketServices, recording.PacketHistograms,
	recording.PacketStatements, recording.PacketErrors, recording.PacketTransactions, recording.PacketNestings, recording.PacketPaths, recording.PacketRates,
	recording.PacketDirections, recording.PacketResolvers, recording.PacketsUnanswered, recording.PacketStalls,
	recording.PacketPairs, recording.PacketPairTransactions,
}

// Name is the word users see for captures among the probes.
const Name = "capture"

// Info is what a manifest says of captures.
func Info() recording.ProbeInfo {
	return recording.ProbeInfo{Name: Name, Fills: Tables}
}

// Run notes in a sample how the capture went, as the runner of probes does for
// the others. at must lie in the window that is judged, whenever that was.
func (r *Result) Run(w *recording.Writer, at time.Time, took time.Duration) {
	lost := int64(0)
	if r.Report.Loss.Known {
		lost = int64(r.Report.Loss.Dropped)
	}
	recording.Append(w, recording.ProbeRun{
		At: at, Probe: Name, Duration: took, Rows: int64(r.Report.Packets), Lost: lost,
	})
}
