package traffic

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/tcp"
	"rtrail/internal/unit"
)

// Overview is what is printed of a capture as a whole.
type Overview struct {
	Report  *engine.Report
	Summary *summary.Summary
	Top     int // lines per table
	Width   int // columns
}

// Proto is the protocol with a mark where boundaries were inferred.
func Proto(name string, s *rt.Stats) string {
	if name == "" {
		name = "-"
	}
	if s.Approximate > 0 {
		return "~" + name
	}
	return name
}

// Print writes the summary.
func (o Overview) Print(out io.Writer) error {
	w := &strings.Builder{}
	o.capture(w)
	o.services(w)
	o.connections(w)
	o.statements(w)
	o.gaps(w)
	o.disconnect(w)
	_, err := io.WriteString(out, w.String())
	return err
}

func (o Overview) capture(w io.Writer) {
	r := o.Report
	fmt.Fprintf(w, "%s packets, %s in %s from %s; %s connections\n", unit.Count(r.Packets), unit.Bytes(r.Bytes), unit.Duration(r.Span()),
		time.Unix(0, r.First).Format("2006-01-02 15:04:05.000"), unit.Count(o.Summary.Seen))
	if r.Loss.Known {
		fmt.Fprintf(w, "dropped by the capture: %s\n", unit.Count(r.Loss.Dropped))
	}
	if o.Summary.Missed > 0 {
		fmt.Fprintf(w, "missed: %s of TCP streams were acknowledged but not captured\n", unit.Bytes(o.Summary.Missed))
	}
	if r.Duplicates > 0 {
		fmt.Fprintf(w, "captured twice and counted once: %s packets\n", unit.Count(r.Duplicates))
	}
	if n := r.Unreadable(); n > 0 {
		fmt.Fprintf(w, "cut or broken before the transport header ended: %s packets\n", unit.Count(n))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s%s\n", prefix(n.File), n.Text)
	}
}

func prefix(file string) string {
	if file == "" {
		return ""
	}
	return file + ": "
}

// table aligns columns; right-aligned ones come after the first.
func table(w io.Writer, title string, header string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, " "+header)
	for _, r := range rows {
		fmt.Fprintln(t, " "+strings.Join(r, "\t"))
	}
	t.Flush()
}

func (o Overview) services(w io.Writer) {
	list := slices.SortedFunc(maps.Keys(o.Summary.Services), func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(o.Summary.Services[b].Sum, o.Summary.Services[a].Sum),
			cmp.Compare(o.Summary.Services[b].Connections, o.Summary.Services[a].Connections), cmp.Compare(a.Server.Port, b.Server.Port))
	})
	var rows [][]string
	for _, k := range list[:min(len(list), o.Top)] {
		t := o.Summary.Services[k]
		rows = append(rows, []string{port(k), Proto(k.Proto, &t.Stats), unit.Count(t.Count).String(), times(t, t.Mean()), times(t, t.Quantile(0.5)),
			times(t, t.Quantile(0.99)), times(t, t.Max), share(t.Serve, t), share(t.Download, t), share(t.Retransmit, t), orDash(t.Failed), orDash(t.Excluded())})
	}
	table(w, "SERVICES by time spent waiting", "port\tproto\tcount\tmean\tp50\tp99\tmax\tserver\tdownload\tresent\terr\texcluded", rows)
}

func port(k summary.Service) string {
	if k.Server.Addr == (summary.Service{}).Server.Addr {
		return fmt.Sprint(k.Server.Port)
	}
	return k.Server.String()
}

func times(t *summary.Total, d time.Duration) string {
	if t.Count == 0 {
		return "-"
	}
	return unit.Duration(d).String()
}

// share is a phase as a part of all the time from request to end of response.
func share(d time.Duration, t *summary.Total) string {
	all := t.Upload + t.Sum + t.Download
	if all == 0 || d == 0 {
		return "-"
	}
	return unit.Share(float64(d) / float64(all)).String()
}

func (o Overview) connections(w io.Writer) {
	var rows [][]string
	for _, c := range o.Summary.Connections {
		if len(rows) == o.Top || c.Badness == 0 {
			break
		}
		mean := "-"
		if c.Requests.Count > 0 {
			mean = unit.Duration(c.Requests.Sum / time.Duration(c.Requests.Count)).String()
		}
		resent := uint64(c.Sides[0].Retransmissions) + uint64(c.Sides[1].Retransmissions)
		rows = append(rows, []string{fmt.Sprint(c.ID), c.Client.String(), c.Server.String(), unit.Count(c.Requests.Count).String(), mean,
			unit.Duration(c.Requests.Max).String(), orDash(resent), connect(c), c.Ending.String()})
	}
	table(w, "CONNECTIONS, the worst", "id\tclient\tserver\tcount\tmean\tmax\tresent\tconnect\tended", rows)
}

func connect(c *summary.Connection) string {
	if d, ok := c.Connect(); ok {
		return unit.Duration(d).String()
	}
	return "-"
}

func (o Overview) statements(w io.Writer) {
	list := slices.SortedFunc(maps.Keys(o.Summary.Statements), func(a, b summary.StatementKey) int {
		return cmp.Or(cmp.Compare(o.Summary.Statements[b].Sum, o.Summary.Statements[a].Sum), cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Command, b.Command))
	})
	var rows [][]string
	for _, k := range list {
		s := o.Summary.Statements[k]
		if len(rows) == o.Top {
			break
		}
		if s.Count == 0 && s.Failed == 0 {
			continue
		}
		text := k.Fingerprint
		if text == "" {
			text = k.Command
		}
		rows = append(rows, []string{unit.Duration(s.Sum).String(), unit.Count(s.Count).String(), unit.Duration(s.Mean()).String(),
			unit.Duration(s.Quantile(0.95)).String(), orDash(s.Failed), Clip(text, max(20, o.Width-50))})
	}
	table(w, "STATEMENTS by total time", "total\tcount\tmean\tp95\terr\tstatement", rows)
}

// Clip cuts a text to a number of columns.
func Clip(text string, columns int) string {
	r := []rune(text)
	if len(r) <= columns {
		return text
	}
	return string(r[:columns-1]) + "…"
}

func (o Overview) gaps(w io.Writer) {
	var rows [][]string
	for i := range o.Summary.Slowest {
		if i == o.Top {
			break
		}
		t := &o.Summary.Slowest[i]
		text := t.Fingerprint
		if text == "" {
			text = t.Command
		}
		rows = append(rows, []string{unit.Duration(t.RT).String(), clock(t.Start), t.Client.String(), t.Server.String(),
			fmt.Sprintf("%d-%d", t.Frames[0], t.Frames[3]), Clip(text, max(20, o.Width-80))})
	}
	table(w, "WORST WAITS", "RT\tat\tclient\tserver\tframes\tstatement", rows)
}

func clock(at int64) string { return time.Unix(0, at).Format("15:04:05.000000") }

func (o Overview) disconnect(w io.Writer) {
	d := o.Summary.Disconnect
	if d == nil {
		return
	}
	what := "FIN"
	if d.Closer.Reset {
		what = "RST"
	}
	fmt.Fprintf(w, "\nFIRST DISCONNECT  %s %s from the %s of %s -> %s (connection %d, frame %d)%s\n", clock(d.Closer.At), what, d.Closer.Dir,
		d.Client, d.Server, d.ID, d.Closer.Frame, during(d.CloseState))
}

func during(s tcp.State) string {
	switch s {
	case tcp.Request:
		return " in the middle of a request"
	case tcp.Waiting:
		return " while a request waited for its answer"
	case tcp.Response:
		return " in the middle of a response"
	}
	return ""
}
