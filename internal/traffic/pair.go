package traffic

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/packet/bothsides"
	"rtrail/internal/packet/flow"
	"rtrail/internal/unit"
)

// Pair is what is printed of two captures of the same traffic.
type Pair struct {
	Result *bothsides.Result
	Top    int // lines per table
	Width  int // columns; 0: any
	Prose  int // columns at which prose is broken; 0: nowhere
	Zone   *time.Location
}

// Print writes the summary.
func (p Pair) Print(out io.Writer) error {
	w := &strings.Builder{}
	p.captures(w)
	for _, s := range p.Result.Services[:min(len(p.Result.Services), p.Top)] {
		p.service(w, s)
	}
	if n := len(p.Result.Services) - p.Top; n > 0 {
		fmt.Fprintf(w, "\n%s: --top %d shows them\n", unit.Plural(n, "more service", "more services"), len(p.Result.Services))
	}
	p.slowest(w)
	_, err := io.WriteString(out, w.String())
	return err
}

// pairHang is where words begin right of what they are about.
const pairHang = len("server's side  ")

var sideNames = [2]string{"client's side", "server's side"}

// captures says what was compared, and how far it can be trusted.
func (p Pair) captures(w io.Writer) {
	r := p.Result
	for i := range r.Sides {
		s := &r.Sides[i]
		until := "15:04:05.000"
		if s.Report.Span() >= 24*time.Hour {
			until = dateLayout + " " + until
		}
		say(w, p.Prose, pairHang, "%s  %s: %s, %s, %s to %s", sideNames[i], strings.Join(s.Files, ", "),
			unit.Plural(s.Report.Packets, "packet", "packets"), unit.Plural(s.Connections, "connection", "connections"),
			local(s.Report.First, p.Zone).Format("2006-01-02 15:04:05.000"), local(s.Report.Last, p.Zone).Format(until+" MST"))
	}
	if r.Swapped {
		say(w, p.Prose, 2, "the sides were given the wrong way round: requests pass the capture that was called the server's first. They were exchanged.")
	}
	say(w, p.Prose, pairHang, "in both        %s%s", unit.Plural(r.Matched, "connection", "connections"), inBrackets(
		counted(r.Translated, "with other addresses at the server: NAT or a load balancer"), counted(r.BySequence, "begun before a capture")))
	for i := range r.Sides {
		if u := &r.Sides[i].Unmatched; u.Total() > 0 {
			say(w, p.Prose, pairHang, "only at the %s  %s%s", [2]string{"client", "server"}[i], unit.Plural(u.Total(), "connection", "connections"), inBrackets(
				counted(u.Absent, "that the other capture should have and lacks"+servers(u.Servers)), counted(u.Unanswered, "of them never answered"),
				counted(u.Outside, "outside the time it covers"), counted(u.Silent, "begun before the capture and silent since")))
		}
	}
	p.clock(w)
	for i := range r.Sides {
		s := &r.Sides[i]
		if l := s.Report.Loss; l.Known && l.Dropped > 0 {
			say(w, p.Prose, pairHang, "%s: the capture dropped %s", sideNames[i], unit.Plural(l.Dropped, "packet", "packets"))
		}
		if s.Missed > 0 {
			say(w, p.Prose, pairHang, "%s: %s of TCP streams were acknowledged but not captured", sideNames[i], unit.Bytes(s.Missed))
		}
		for _, n := range s.Report.Notes {
			say(w, p.Prose, 6, "note: %s", escape.Text(strings.TrimPrefix(n.File+": "+n.Text, ": ")))
		}
	}
	if n := r.Excluded.Total(); n > 0 {
		e := &r.Excluded
		say(w, p.Prose, pairHang, "left out       %s%s", unit.Plural(n, "request", "requests"), inBrackets(
			counted(int(e.Doubtful), "without answer, ambiguous or lossy"), counted(int(e.OnlyClient), "the server's capture lacks"),
			counted(int(e.OnlyServer), "the client's capture lacks"), counted(int(e.Different), "of which the captures disagree where they end"),
			counted(int(e.Contradict), "whose times contradict each other: a capture missed a copy")))
	}
}

func (p Pair) clock(w io.Writer) {
	c := &p.Result.Clock
	offset := unit.Duration(c.Offset.Abs()).String()
	ahead := offset + " ahead"
	switch {
	case c.Offset.Abs() <= c.Uncertainty:
		ahead = "not to be told from the client's (" + offset + " apart)"
	case c.Offset < 0:
		ahead = offset + " behind"
	}
	drift := ""
	if c.Drift != 0 {
		drift = fmt.Sprintf(", and changes by %.1f µs a second", c.Drift*1e6)
	}
	ignored := ""
	if c.Ignored > 0 {
		ignored = fmt.Sprintf(" (%d contradicted all others)", c.Ignored)
	}
	say(w, p.Prose, pairHang, "clocks         the server's is %s%s; ± %s, from %s%s", ahead, drift, unit.Duration(c.Uncertainty), unit.Plural(c.Packets, "packet", "packets"), ignored)
	say(w, p.Prose, pairHang, "path           there and back take at least %s together. What both ways take together is exact; how it divides into there and back is known to ± %s.",
		unit.Duration(c.RoundTrip), unit.Duration(c.Uncertainty))
}

// servers names the ones that connections went to.
func servers(count map[flow.Endpoint]int) string {
	if len(count) == 0 {
		return ""
	}
	list := slices.SortedFunc(maps.Keys(count), func(a, b flow.Endpoint) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.String(), b.String()))
	})
	const most = 3
	var names []string
	for _, e := range list[:min(len(list), most)] {
		names = append(names, e.String())
	}
	if len(list) > most {
		names = append(names, fmt.Sprintf("%d more", len(list)-most))
	}
	return ", to " + strings.Join(names, ", ")
}

// counted is a count with what it counts, "" if there is none.
func counted(n int, what string) string {
	if n == 0 {
		return ""
	}
	return unit.Count(n).String() + " " + what
}

// countedOf is a count with what it counts in the singular or plural, "" if there is none.
func countedOf(n int, one, many string) string {
	if n == 0 {
		return ""
	}
	return unit.Plural(n, one, many)
}

func inBrackets(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// pairParts are the parts of a transaction's time in their order.
func pairParts(s *bothsides.Service) []struct {
	name string
	part *bothsides.Part
} {
	return []struct {
		name string
		part *bothsides.Part
	}{
		{"upload at the client", &s.Upload}, {"resent on the way there", &s.ResentThere}, {"way there", &s.PathThere}, {"server", &s.Serve},
		{"resent on the way back", &s.ResentBack}, {"way back", &s.PathBack}, {"download", &s.Download},
	}
}

var pairServiceColumns = []document.Column{
	{Name: "where the time went"}, {Name: "share", Right: true}, {Name: "sum", Right: true, Drop: 5}, {Name: "mean", Right: true, Drop: 4},
	{Name: "p50", Right: true, Drop: 3}, {Name: "p95", Right: true, Drop: 1}, {Name: "p99", Right: true}, {Name: "", Drop: 2},
}

// bar is how many columns a bar of everything has.
func (p Pair) bar() int {
	if p.Width > 0 && p.Width < 80 {
		return 10
	}
	return 20
}

func (p Pair) service(w io.Writer, s *bothsides.Service) {
	name := s.Server.String()
	if s.Backend != s.Server {
		name += " (at the server " + s.Backend.String() + ")"
	}
	protocol := marked(s.Proto, s.Approximate > 0)
	title := fmt.Sprintf("%s %s: %s on %s; their clients waited %s", protocol, name, unit.Plural(s.Count, "request", "requests"), unit.Plural(s.Connections, "connection", "connections"), unit.Duration(s.Waited()))
	if s.Count == 0 {
		if s.Excluded.Total() > 0 {
			fmt.Fprintln(w)
			say(w, p.Prose, 2, "%s %s: no request that both captures saw whole; %s left out", protocol, name, unit.Count(s.Excluded.Total()))
		}
		return
	}
	var rows [][]string
	for _, x := range pairParts(s) {
		if x.part.Sum == 0 {
			continue
		}
		rows = append(rows, pairRow(x.name, x.part, s, p.bar()))
	}
	rt := pairRow("RT at the client", &s.RT, s, p.bar())
	rt[1], rt[7] = "", ""
	rows = append(rows, rt)
	show(w, p.Width, document.Table{Title: title, Columns: pairServiceColumns, Rows: rows})
	p.losses(w, s)
}

func pairRow(name string, x *bothsides.Part, s *bothsides.Service, bar int) []string {
	share := float64(x.Sum) / float64(max(s.Waited(), 1))
	q := func(v float64) string { return unit.Duration(x.Hist.Quantile(v)).String() }
	return []string{
		name, unit.Share(share).String(), unit.Duration(x.Sum).String(), unit.Duration(x.Sum / time.Duration(s.Count)).String(),
		q(0.5), q(0.95), q(0.99), strings.Repeat("█", int(share*float64(bar)+0.5)),
	}
}

// losses says what else is to be known of a service.
func (p Pair) losses(w io.Writer, s *bothsides.Service) {
	for _, l := range []struct {
		lost, sent uint64
		where      string
	}{{s.LostThere, s.SegmentsThere, "from the client to the server"}, {s.LostBack, s.SegmentsBack, "from the server to the client"}} {
		if l.lost > 0 {
			say(w, p.Prose, 3, " lost between the captures: %s of %s with data %s (%s)", unit.Count(l.lost), unit.Plural(l.sent, "packet", "packets"), l.where,
				unit.Share(float64(l.lost)/float64(max(l.sent, l.lost))))
		}
	}
	if s.Sending > 0 {
		say(w, p.Prose, 3, " answers took %s to leave the server and %s to arrive, from their first packet to their last", unit.Duration(s.Sending), unit.Duration(s.Download.Sum))
	}
	if s.Resent > 0 {
		say(w, p.Prose, 3, " requests that waited for a copy of what was lost between the captures: %s", unit.Count(s.Resent))
	}
	if s.Clamped > 0 {
		say(w, p.Prose, 3, " requests of which one way came out negative, within the uncertainty of the clocks, and was set to 0: %s", unit.Count(s.Clamped))
	}
}

var pairColumns = []document.Column{
	{Name: "start", Fixed: 15, Drop: 3}, {Name: "total", Right: true, Fixed: 7}, {Name: "upload", Right: true, Fixed: 7, Drop: 6}, {Name: "there", Right: true, Fixed: 7},
	{Name: "server", Right: true, Fixed: 7}, {Name: "back", Right: true, Fixed: 7}, {Name: "resent", Right: true, Fixed: 7}, {Name: "download", Right: true, Fixed: 8, Drop: 4},
	{Name: "client", Fixed: 21, Drop: 7}, {Name: "to", Fixed: 21, Drop: 8}, {Name: "frame", Right: true, Fixed: 9, Drop: 1}, {Name: "at server", Right: true, Fixed: 9, Drop: 2},
	{Name: "statement", Cut: true, Fixed: 400},
}

func pairCells(s *bothsides.Split, zone *time.Location, clock string) []string {
	d := func(v time.Duration) string {
		if v == 0 {
			return "-"
		}
		return unit.Duration(v).String()
	}
	return []string{
		local(s.Start, zone).Format(clock), d(s.Total()), d(s.Upload), d(s.PathThere), d(s.ServeThere), d(s.PathBack),
		d(s.ResentThere + s.ResentBack), d(s.Download), s.Client.String(), s.Server.String(), fmt.Sprint(s.Frames[0]), fmt.Sprint(s.ServerFrame),
		remark(&s.Transaction) + Statement(s.Command, s.Fingerprint),
	}
}

func (p Pair) slowest(w io.Writer) {
	var rows [][]string
	client := &p.Result.Sides[bothsides.AtClient].Report
	clock := Clock(client.First, client.Last)
	for i := range p.Result.Slowest[:min(len(p.Result.Slowest), p.Top)] {
		rows = append(rows, pairCells(&p.Result.Slowest[i], p.Zone, clock))
	}
	show(w, p.Width, document.Table{Title: "WORST WAITS, and where they were spent", Columns: pairColumns, Rows: rows})
}

// PairLines prints transactions of two captures as they come.
type PairLines struct {
	Width int // columns; 0: any
	Zone  *time.Location

	columns  *document.Lines
	calendar calendar
}

// Line is the next one, with a header before the first.
func (p *PairLines) Line(s *bothsides.Split) string {
	var b strings.Builder
	p.calendar.turn(&b, local(s.Start, p.Zone))
	if p.columns == nil {
		p.columns = document.FixedLines(pairColumns, p.Width)
		b.Write(p.columns.AppendNames(nil))
	}
	b.Write(p.columns.Append(nil, pairCells(s, p.Zone, clockLayout)))
	return b.String()
}
