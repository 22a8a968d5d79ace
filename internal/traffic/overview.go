package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/protocol"
	"rtrail/internal/unit"
)

// Overview is what is told of a capture as a whole.
type Overview struct {
	Report   *engine.Report
	Summary  *summary.Summary
	Zone     *time.Location // nil: local time
	Top      int            // lines per table
	Width    int            // columns of a terminal, for bars; 0: as many as are needed
	Filtered bool           // only some transactions count
	OverTime *OverTime      // nil: is not told
}

// Proto is the protocol with a mark where boundaries were inferred.
func Proto(name string, s *rt.Stats) string { return marked(name, s.Inferred > 0) }

// marked is a protocol with a mark if boundaries of its requests were
// inferred. Those that are not decoded have it also where there was no request.
func marked(name string, inferred bool) string {
	switch {
	case name != "" && protocol.Of(name).Opaque, inferred:
		return "~" + cmp.Or(name, "-")
	}
	return cmp.Or(name, "-")
}

// Sums is the summary.
func (o Overview) Sums() []document.Block {
	out := append(o.capture(), o.services()...)
	out = append(out, o.OverTime.table())
	if !o.Filtered {
		out = append(out, o.connections()...)
	}
	out = append(out, o.statements(), o.asked(), o.slowest())
	if o.Summary.Disconnect != nil {
		out = append(out, o.disconnect(o.Summary.Disconnect))
	}
	return Filled(out...)
}

// Filled leaves out tables without rows and lists without items.
func Filled(blocks ...document.Block) []document.Block {
	return slices.DeleteFunc(blocks, func(b document.Block) bool {
		switch b := b.(type) {
		case document.Table:
			return len(b.Rows) == 0
		case document.List:
			return len(b.Items) == 0
		}
		return false
	})
}

// remarks are sentences on what stands above them.
func remarks(sentences ...string) document.List {
	var l document.List
	for _, s := range sentences {
		l.Items = append(l.Items, document.Item{Words: s})
	}
	return l
}

// Tables are those of the summary.
func (o Overview) Tables() []document.Block {
	services, _, _ := o.serviceTable()
	return []document.Block{services, o.statements(), o.asked(), o.connections()[0], o.slowest()}
}

// capture says what was read, and what is missing or doubtful.
func (o Overview) capture() []document.Block {
	r := o.Report
	packets := "no packets"
	if r.Packets > 0 {
		packets = fmt.Sprintf("%s, %s in %s from %s; %s", unit.Plural(r.Packets, "packet", "packets"), unit.Bytes(r.Bytes), unit.Duration(r.Span()),
			o.time(r.First).Format("2006-01-02 15:04:05.000 MST"), unit.Plural(o.Summary.Seen, "connection", "connections"))
	}
	told := []string{packets}
	if r.Loss.Known && r.Loss.Dropped == 0 {
		told = append(told, "dropped by the capture: none")
	}
	return []document.Block{remarks(append(told, Doubts(r, o.Summary)...)...)}
}

func (o Overview) time(at int64) time.Time {
	return local(at, o.Zone)
}

// maxQuiet is how many services without requests are named.
const maxQuiet = 5

// What is said of services in which boundaries of messages were inferred: of those
// without a decoder, and of those whose decoder had not all bytes.
const (
	undecoded = "~ the protocol is not decoded: requests and answers are told apart by the change of direction"
	inPart    = "bytes of messages are cut off or encrypted: where they end is partly inferred; statements, errors and rows may be missing"
)

// approximate says what the mark means of the protocols that have it.
func approximate(marked []string) []string {
	var lines, decoded []string
	for _, name := range marked {
		switch traits := protocol.Of(name); {
		case !traits.Opaque:
			decoded = append(decoded, "~"+name)
		case traits.Inferred != "":
			lines = append(lines, "~"+name+": "+traits.Inferred)
		default:
			lines = append(lines, undecoded)
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(decoded) > 0 {
		slices.Sort(decoded)
		lines = append(lines, strings.Join(slices.Compact(decoded), ", ")+": "+inPart)
	}
	return lines
}

func (o Overview) services() []document.Block {
	t, inferred, quiet := o.serviceTable()
	also := approximate(inferred)
	if len(quiet) > 0 && !o.Filtered {
		also = append(also, "without requests: "+o.quietNames(quiet))
	}
	return []document.Block{t, remarks(also...)}
}

// serviceTable also tells the protocols of which messages were inferred, and services
// without requests that are not in the table.
func (o Overview) serviceTable() (t document.Table, inferred []string, quiet []summary.Service) {
	list := Ranked(o.Summary.Services, func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	})
	list, quiet = o.foldQuiet(list)
	quiet = otherServices(quiet, list)
	t = document.Table{Title: "SERVICES by time spent waiting", Columns: []document.Column{
		{Name: "port"}, {Name: "proto"}, {Name: "count", Right: true}, {Name: "mean", Right: true}, {Name: "p50", Right: true, Drop: 6},
		{Name: "p95", Right: true, Drop: 7}, {Name: "p99", Right: true}, {Name: "max", Right: true, Drop: 1}, {Name: "server", Right: true, Drop: 4},
		{Name: "download", Right: true, Drop: 5}, {Name: "resent", Right: true, Drop: 3}, {Name: "err", Right: true}, {Name: "excluded", Right: true, Drop: 2},
		{Name: "conns", Right: true, Drop: 8}, {Name: "handshake", Right: true, Drop: 9},
	}}
	for _, k := range list[:min(len(list), o.Top)] {
		x := o.Summary.Services[k]
		protocol := Proto(k.Proto, &x.Stats)
		if strings.HasPrefix(protocol, "~") {
			inferred = append(inferred, k.Proto)
		}
		t.Add([]string{service(k), protocol, unit.Count(x.Count).String(), times(&x.Stats, x.Mean()), times(&x.Stats, x.Quantile(0.5)),
			times(&x.Stats, x.Quantile(0.95)), times(&x.Stats, x.Quantile(0.99)), times(&x.Stats, x.RTMax), share(x.Serve, x), share(x.Download, x), share(x.Retransmit, x),
			orDash(x.Failed), orDash(x.Excluded()), orDash(x.Connections), handshake(&x.Path)})
	}
	return t, inferred, quiet
}

// quietNames lists the first of services without requests, and counts the others. Of a
// server that has a row of its own these are some more connections.
func (o Overview) quietNames(list []summary.Service) string {
	var names []string
	for _, k := range list[:min(len(list), maxQuiet)] {
		name := service(k) + " " + marked(k.Proto, false)
		if o.served(k) {
			name = unit.Plural(o.Summary.Services[k].Connections, "connection", "connections") + " to " + service(k)
		}
		names = append(names, name)
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %s more", unit.Count(more)))
	}
	return strings.Join(names, ", ")
}

// served says whether requests of another protocol were seen at a service's port.
func (o Overview) served(k summary.Service) bool {
	for other, t := range o.Summary.Services {
		if other.Server == k.Server && asked(t) {
			return true
		}
	}
	return false
}

// asked says whether there is a request to tell of.
func asked(t *summary.Total) bool { return t.Count+t.Failed+t.Excluded() > 0 }

// foldQuiet parts services without requests from the others, unless there is
// nothing else to tell, or only one whose port is not in the table.
func (o Overview) foldQuiet(list []summary.Service) (told, quiet []summary.Service) {
	for _, k := range list {
		if asked(o.Summary.Services[k]) {
			told = append(told, k)
		} else {
			quiet = append(quiet, k)
		}
	}
	if len(told) == 0 || len(quiet) == 0 || len(quiet) == 1 && !o.served(quiet[0]) {
		return list, nil
	}
	return told, quiet
}

// otherServices takes services out of a list of quiet ones that are there with another protocol:
// their other connections, which carried nothing or were refused, are no service of their own.
func otherServices(quiet, told []summary.Service) []summary.Service {
	return slices.DeleteFunc(quiet, func(k summary.Service) bool {
		return slices.ContainsFunc(told, func(t summary.Service) bool { return t.Server == k.Server })
	})
}

// Ranked lists what took the most time first.
func Ranked[K comparable](m map[K]*summary.Total, ties func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		return cmp.Or(cmp.Compare(m[b].RTSum, m[a].RTSum), cmp.Compare(m[b].Connections, m[a].Connections), ties(a, b))
	})
}

func service(k summary.Service) string {
	if k.Server.Addr == (summary.Service{}).Server.Addr {
		return fmt.Sprint(k.Server.Port)
	}
	return k.Server.String()
}

func times(t *rt.Stats, d time.Duration) string {
	if t.Count == 0 {
		return "-"
	}
	return unit.Duration(d).String()
}

// share is a phase as a part of all the time from request to end of response.
func share(d time.Duration, t *summary.Total) string {
	all := t.Upload + t.RTSum + t.Download
	if all == 0 || d == 0 {
		return "-"
	}
	return unit.Share(float64(d) / float64(all)).String()
}

// worstConnections is the title of connections by their badness.
const worstConnections = "CONNECTIONS by time waited, a reset counts as 1 s"

// connections are the worst ones, and how many without requests there are beside them.
func (o Overview) connections() []document.Block {
	list, quiet := worst(o.Summary.Connections)
	fold := len(list) > 0 && len(quiet) > 1
	if !fold {
		list = append(list, quiet...)
	}
	var rows [][]string
	for _, c := range list {
		if len(rows) == o.Top || c.Badness == 0 {
			break
		}
		rows = append(rows, connectionRow(c))
	}
	out := []document.Block{document.Table{Title: worstConnections, Columns: connectionColumns, Rows: rows}}
	if fold {
		out = append(out, remarks("without requests: "+quietConnections(quiet)))
	}
	return out
}

// worst puts connections with requests before those without, each the worst first.
func worst(all []*summary.Connection) (list, quiet []*summary.Connection) {
	for _, c := range all {
		if r := c.Requests; uint64(r.Count)+uint64(r.Failed)+uint64(r.Excluded) > 0 {
			list = append(list, c)
		} else {
			quiet = append(quiet, c)
		}
	}
	return list, quiet
}

// quietConnections counts connections without requests by how they ended, and names
// the worst one.
func quietConnections(list []*summary.Connection) string {
	ended := map[string]int{}
	for _, c := range list {
		how := c.Ending.String()
		if c.Refused {
			how = "refused"
		}
		ended[how]++
	}
	var parts []string
	for _, how := range slices.SortedFunc(maps.Keys(ended), func(a, b string) int { return cmp.Or(ended[b]-ended[a], cmp.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%s %s", unit.Count(ended[how]), how))
	}
	c := list[0]
	return fmt.Sprintf("%s (%s), as %d from %s to %s", unit.Plural(len(list), "connection", "connections"), strings.Join(parts, ", "), c.ID, c.Client, c.Server)
}

var connectionColumns = []document.Column{
	{Name: "id", Right: true}, {Name: "client"}, {Name: "server", Drop: 6}, {Name: "proto", Drop: 8}, {Name: "count", Right: true}, {Name: "err", Right: true, Drop: 3},
	{Name: "waited", Right: true, Drop: 4}, {Name: "mean", Right: true, Drop: 5}, {Name: "max", Right: true}, {Name: "resent", Right: true}, {Name: "bytes", Right: true, Drop: 9},
	{Name: "connect", Right: true, Drop: 7}, {Name: "ended"},
}

func connectionRow(c *summary.Connection) []string {
	mean, waited, most := "-", "-", "-"
	if c.Requests.Count > 0 {
		mean = unit.Duration(c.Requests.Sum / time.Duration(c.Requests.Count)).String()
		waited, most = unit.Duration(c.Requests.Sum).String(), unit.Duration(c.Requests.Max).String()
	}
	resent := uint64(c.Sides[0].Retransmissions) + uint64(c.Sides[1].Retransmissions)
	protocol := c.Protocol
	if protocol == "" {
		protocol = "-"
	}
	return []string{
		fmt.Sprint(c.ID), c.Client.String(), c.Server.String(), protocol, unit.Count(c.Requests.Count).String(), orDash(uint64(c.Requests.Failed)), waited, mean,
		most, orDash(resent), unit.Bytes(c.Sides[0].Bytes + c.Sides[1].Bytes).String(), connect(c), c.Ending.String(),
	}
}

func connect(c *summary.Connection) string {
	if d, ok := c.Connect(); ok {
		return unit.Duration(d).String()
	}
	return "-"
}

func (o Overview) statements() document.Table {
	var all time.Duration
	for _, t := range o.Summary.Services {
		all += t.RTSum
	}
	var rows [][]string
	list := Statements(o.Summary)
	list = list[:min(len(list), o.Top)]
	for _, k := range list {
		s := o.Summary.Statements[k]
		part := "-"
		if all > 0 {
			part = unit.Share(float64(s.RTSum) / float64(all)).String()
		}
		st := &s.Stats
		rows = append(rows, []string{times(st, s.RTSum), part, unit.Count(s.Count).String(), times(st, s.Mean()), times(st, s.Quantile(0.95)),
			times(st, s.Quantile(0.99)), times(st, s.RTMax), orDash(s.Failed), RowsOf(st),
			Statement(k.Command, k.Fingerprint)})
	}
	return withPort(document.Table{Title: "STATEMENTS by total time", Rows: rows, Columns: []document.Column{
		{Name: "total", Right: true}, {Name: "share", Right: true, Drop: 2}, {Name: "count", Right: true}, {Name: "mean", Right: true, Drop: 1}, {Name: "p95", Right: true},
		{Name: "p99", Right: true, Drop: 4}, {Name: "max", Right: true, Drop: 3}, {Name: "err", Right: true}, {Name: "rows", Right: true, Drop: 5},
		{Name: "statement", Cut: true},
	}}, list)
}

// withPort gives a table of statements a column that tells their services apart, before the
// last one; of one service it would say nothing.
func withPort(t document.Table, list []summary.StatementKey) document.Table {
	if !slices.ContainsFunc(list, func(k summary.StatementKey) bool { return k.Server != list[0].Server }) {
		return t
	}
	t.Columns = slices.Insert(t.Columns, len(t.Columns)-1, document.Column{Name: "port"})
	for i, k := range list {
		t.Rows[i] = slices.Insert(t.Rows[i], len(t.Rows[i])-1, service(k.Service))
	}
	return t
}

// Statements lists those that were answered, by total time.
func Statements(s *summary.Summary) []summary.StatementKey {
	list := slices.SortedFunc(maps.Keys(s.Statements), func(a, b summary.StatementKey) int {
		return cmp.Or(cmp.Compare(s.Statements[b].RTSum, s.Statements[a].RTSum), cmp.Compare(s.Statements[b].Failed, s.Statements[a].Failed),
			cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Command, b.Command), cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	})
	return slices.DeleteFunc(list, func(k summary.StatementKey) bool { return s.Statements[k].Count == 0 && s.Statements[k].Failed == 0 })
}

// Statement is what was asked, in words that are safe to print.
func Statement(command, fingerprint string) string {
	switch {
	case fingerprint != "":
		return escape.Text(fingerprint)
	case command != "":
		return escape.Text(command)
	}
	return "-"
}

func (o Overview) slowest() document.Table {
	list := o.Summary.Slowest
	return o.Transactions("WORST WAITS", list[:min(len(list), o.Top)])
}

// When is the day and the zone of the times in lists, for titles of lists that stand
// alone; the zone only where each time has its date.
func (o Overview) When() string {
	layout := dateLayout + " MST"
	if Clock(o.Report.First, o.Report.Last) != clockLayout {
		layout = "MST"
	}
	return o.time(o.Report.First).Format(layout)
}

// Transactions is a table of a few of them.
func (o Overview) Transactions(title string, list []rt.Transaction) document.Table {
	var rows [][]string
	words := wording{zone: o.Zone, clock: Clock(o.Report.First, o.Report.Last)}
	for i := range list {
		cells := words.cells(&list[i])
		rows = append(rows, cells[:])
	}
	return document.Table{Title: title, Columns: transactionColumns, Rows: rows}
}

func (o Overview) disconnect(d *rt.Connection) document.Block {
	what := "FIN"
	if d.Closer.Reset {
		what = "RST"
	}
	return document.Prose{Label: "FIRST DISCONNECT", Words: fmt.Sprintf("%s %s from the %s of %s -> %s%s; connection %d, frame %d", o.time(d.Closer.At).Format(Clock(o.Report.First, o.Report.Last)), what,
		d.Closer.Dir, d.Client, d.Server, during(d.CloseState), d.ID, d.Closer.Frame)}
}

func during(s rt.State) string {
	switch s {
	case rt.Waiting:
		return " while a request waited for its answer"
	case rt.Response:
		return " in the middle of a response"
	case rt.Dismissed:
		return " after it had said so; the client asked more all the same"
	case rt.Crossed:
		return " while it was idle; a request crossed it and was answered by RST"
	}
	return ""
}
