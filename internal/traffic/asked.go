package traffic

import (
	"cmp"
	"maps"
	"slices"

	"rtrail/internal/document"
	"rtrail/internal/packet/summary"
	"rtrail/internal/unit"
)

// AskedToWait lists the statements for which the server waited because it was
// asked to, by the time it did. Nobody was slow, and a worker without work waits
// all the time: they are in no other sum of times.
func AskedToWait(s *summary.Summary) []summary.StatementKey {
	list := slices.SortedFunc(maps.Keys(s.Statements), func(a, b summary.StatementKey) int {
		x, y := s.Statements[a], s.Statements[b]
		return cmp.Or(cmp.Compare(y.Blocked, x.Blocked), cmp.Compare(y.Blocking, x.Blocking),
			cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Command, b.Command), cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	})
	return slices.DeleteFunc(list, func(k summary.StatementKey) bool { return s.Statements[k].Blocking == 0 })
}

func (o Overview) asked() document.Table {
	list := AskedToWait(o.Summary)
	var rows [][]string
	list = list[:min(len(list), o.Top)]
	for _, k := range list {
		s := o.Summary.Statements[k]
		rows = append(rows, []string{unit.Duration(s.Blocked).String(), unit.Count(s.Blocking).String(), Statement(k.Command, k.Fingerprint)})
	}
	return withPort(document.Table{Title: "ASKED TO WAIT, left out of all times", Rows: rows,
		Columns: []document.Column{{Name: "waited", Right: true}, {Name: "count", Right: true}, {Name: "statement", Cut: true}}}, list)
}

// askedJSON is a statement for which the server waited because it was asked to.
type askedJSON struct {
	Command     *string `json:"command"`
	Fingerprint *string `json:"fingerprint"`
	Proto       string  `json:"proto"`
	Port        uint16  `json:"port"`
	Count       int64   `json:"count"`
	Waited      int64   `json:"waited_ns"` // sum
}

func (d *Document) asked(s *summary.Summary) []askedJSON {
	keys := AskedToWait(s)
	list := []askedJSON{}
	for _, k := range keys[:min(len(keys), d.Top)] {
		x := s.Statements[k]
		list = append(list, askedJSON{orNull(k.Command), orNull(k.Fingerprint), k.Proto, k.Server.Port, x.Blocking, int64(x.Blocked)})
	}
	return list
}
