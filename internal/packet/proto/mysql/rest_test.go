package mysql

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto/prototest"
)

// leaving is the events with the bytes of one behind the first kept ones left
// out, as a live capture does.
func leaving(events []prototest.Event, i, kept int, last uint8) []prototest.Event {
	all := append([]prototest.Event(nil), events...)
	e := &all[i]
	e.Cut, e.Data, e.Rest = len(e.Data)-kept, e.Data[:kept], flow.Noted(last)
	return all
}

// Whatever the shape of a result, and wherever its beginning ends, leaving out
// its rows changes nothing but that their number is not known, unless all have
// one length.
func TestRowsLeftOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := func(n, least, most int) (list []string) {
		for range n {
			list = append(list, "\x78"+strings.Repeat("a", least+random.IntN(most-least+1)))
		}
		return list
	}
	cached := func(rows []string) string { // MariaDB's client knows the columns
		s := pkt(1, "\x01\x00")
		for i, r := range rows {
			s += pkt(byte(i+2), r)
		}
		return s + pkt(byte(len(rows)+2), eofBody)
	}
	for _, tt := range []struct {
		name   string
		caps   uint64
		answer string
		before int // packets that are no rows
		rows   int
		known  bool
	}{
		{"equal rows", caps41, oldSet(1, eofBody, rows(100, 120, 120)...), 3, 100, true},
		{"no EOF packets", caps41 | capDeprecateEOF, newSet(1, rows(100, 70, 70)...), 2, 100, true},
		{"more than can be numbered", caps41, oldSet(1, eofBody, rows(700, 80, 80)...), 3, 700, true},
		{"numbers restart at the end", caps41, oldSet(1, eofBody, rows(252, 40, 40)...), 3, 252, true},
		{"columns known", capKnown | caps41, cached(rows(300, 30, 30)), 1, 300, true},
		{"rows differ", caps41, oldSet(1, eofBody, rows(100, 50, 120)...), 3, 100, false},
		{"rows become longer", caps41, oldSet(1, eofBody, append(rows(40, 50, 50), rows(300, 60, 60)...)...), 3, 340, false},
		{"rows become longer, many", caps41, oldSet(1, eofBody, append(rows(900, 4, 4), rows(600, 5, 5)...)...), 3, 1500, false},
	} {
		events := prototest.Events(append(opening(tt.caps), client(10, pkt(0, "\x03select c")), server(20, tt.answer), client(30, pkt(0, "\x03select 2")), server(40, pkt(1, okBody))))
		const answer = 4 // which event
		want := prototest.Run(Protocol, events, false, flow.Finished)
		known := fmt.Sprintf("answered rows=%d", tt.rows)
		if len(want) != 2 || !strings.Contains(want[0], known) {
			t.Fatalf("%s: %q", tt.name, want)
		}
		if !tt.known {
			want[0] = strings.Replace(want[0], known, "answered rows=?", 1)
		}
		last := uint8(1 + tt.before + tt.rows)
		for kept := 1500; kept < 1700; kept++ {
			if diff := cmp.Diff(want, prototest.Run(Protocol, leaving(events, answer, kept, last), false, flow.Finished)); diff != "" {
				t.Fatalf("%s, %d bytes kept: %s", tt.name, kept, diff)
			}
		}
	}
}

// What is said of the rest counts only if it agrees with what was read; and where
// no row was read, how many there are is not known.
func TestRowsLeftOutDoubtful(t *testing.T) {
	row := "\x78" + strings.Repeat("a", 120)
	var many []string
	for range 50 {
		many = append(many, row)
	}
	result := oldSet(1, eofBody, many...)
	ask, other := client(10, pkt(0, "\x03select c")), client(11, pkt(0, "\x03select d"))
	for _, tt := range []struct {
		name  string
		steps []prototest.Step
		kept  int
		last  uint8
		want  string
	}{
		{"within the definitions", []prototest.Step{ask, server(20, result)}, 20, 54, "answered rows=?"},
		{"another number than the bytes say", []prototest.Step{ask, server(20, result)}, 1500, 55, "answered rows=?"},
		{"too many rows for the bytes", []prototest.Step{ask, server(20, oldSet(1, eofBody, row, row))}, 190, 250, "answered rows=?"},
		{"another request waits", []prototest.Step{ask, other, server(20, result)}, 1500, 54, "answered rows=50"},
		{"another request waits, rows are not known", []prototest.Step{ask, other, server(20, result)}, 1500, 55, "approximate|ambiguous"},
		{"an answer of another kind", []prototest.Step{ask, server(20, pkt(1, okBody)+result)}, 1500, 54, "rows=0"},
		{"a file is asked for", []prototest.Step{ask, server(20, pkt(1, "\xfbfile"+strings.Repeat("x", 900)))}, 100, 54, "unanswered"},
	} {
		steps := append(opening(caps41), tt.steps...)
		events := prototest.Events(steps)
		got := prototest.Run(Protocol, leaving(events, len(events)-1, tt.kept, tt.last), false, flow.Finished)
		if len(got) == 0 {
			t.Fatalf("%s: nothing", tt.name)
		}
		t.Log(tt.name, got)
		for _, w := range strings.Split(tt.want, "|") {
			if !strings.Contains(got[0], w) {
				t.Errorf("%s: %q lacks %q", tt.name, got, w)
			}
		}
	}
}
