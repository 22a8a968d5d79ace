package traffic

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// Best keeps what sorting everything would.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	by, err := OrderNamed("rt")
	if err != nil {
		t.Fatal(err)
	}
	few, all := &Best{Order: by, Limit: 7, Usable: true}, &Best{Order: by, Limit: 1000, Usable: true}
	listeners := []Listener{few.Listener(0), few.Listener(1)}
	every := all.Listener(0)
	for i := range 1000 {
		x := &rt.Transaction{ID: uint64(i), Start: int64(i), RT: time.Duration(r.IntN(50)), Frames: [4]uint64{1, 1, 2, 2}}
		if i%10 == 0 {
			x.Doubt, x.RT = proto.Ambiguous, time.Hour
		}
		listeners[i%2].Transaction(x)
		every.Transaction(x)
	}
	got, seen := few.List()
	want, _ := all.List()
	if diff := cmp.Diff(want[:7], got); diff != "" || seen != 900 {
		t.Errorf("of %d: %s", seen, diff)
	}
}

func TestOrderNamed(t *testing.T) {
	if _, err := OrderNamed("strat"); err == nil || !strings.Contains(err.Error(), `did you mean "start"`) {
		t.Error(err)
	}
}

// A window looks far enough ahead, or what comes late is counted.
func TestReorder(t *testing.T) {
	for _, tc := range []struct {
		window int
		late   uint64
	}{{10, 0}, {2, 1}} {
		var got []int64
		r := &Reorder{Window: tc.window, Give: func(p *Place, _ []byte) error { got = append(got, p.Start); return nil }}
		var err error
		for _, at := range []int64{2, 3, 4, 5, 6, 1, 7, 8} {
			err = errors.Join(err, r.Text(&Place{Start: at}, nil))
		}
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if len(got) != 8 || r.Late != tc.late {
			t.Errorf("window %d: %v, %d late, want %d", tc.window, got, r.Late, tc.late)
		}
	}
}

// Requests that one packet carried are listed as they were sent, however they are
// listed and whatever was said in between; answers without requests too.
func TestPipelinedAreInOrder(t *testing.T) {
	var rows []rt.Transaction
	for i := range 12 { // as many as no sort of few elements keeps in order by chance
		rows = append(rows, rt.Transaction{ID: 4, Start: 7, Connection: 1, RequestOffset: uint64(100 * i), ResponseOffset: uint64(1000 - i), Frames: [4]uint64{4, 4, 5, 5}})
	}
	for i := range 3 {
		rows = append(rows, rt.Transaction{ID: 9, Start: 8, Connection: 1, Status: proto.Unpaired, ResponseOffset: uint64(i)})
	}
	same := func(name string, got []rt.Transaction) {
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"start", "rt", "rows"} {
		by, err := OrderNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		best := &Best{Order: by, Limit: len(rows)}
		listener := best.Listener(0)
		for _, i := range r.Perm(len(rows)) {
			listener.Transaction(&rows[i])
		}
		got, _ := best.List()
		same(name, got)
	}
	var got []rt.Transaction
	stream := &Reorder{Window: len(rows), Give: func(_ *Place, text []byte) error { got = append(got, rows[text[0]]); return nil }}
	for _, i := range r.Perm(len(rows)) {
		place := placeOf(&rows[i])
		if err := stream.Text(&place, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	same("stream", got)
}

func TestMultiples(t *testing.T) {
	ms := time.Millisecond
	for _, tc := range []struct {
		at   []time.Duration
		want []int
	}{
		{[]time.Duration{200 * ms, 401 * ms, 803 * ms}, []int{1, 2, 4}},
		{[]time.Duration{2060 * ms, 4070 * ms, 6070 * ms, 8070 * ms}, []int{1, 2, 3, 4}},
		{[]time.Duration{200 * ms, 290 * ms}, nil},
		{[]time.Duration{ms, 205 * ms}, nil},
		{[]time.Duration{ms}, nil},
		{[]time.Duration{100 * ms, 104 * ms}, nil},
	} {
		got, ok := Multiples(tc.at)
		if diff := cmp.Diff(tc.want, got); diff != "" && (ok || tc.want != nil) {
			t.Errorf("%v: %s", tc.at, diff)
		}
	}
}

// Bars hold everything, leave no gap and are few.
func TestBars(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, list := range [][]time.Duration{
		{0}, {1}, {0, 0, 3, 9}, {time.Millisecond}, {time.Millisecond, 90 * time.Hour}, {1, time.Hour * 24 * 365}, {999_999, 1_000_000, 1_010_000},
		{time.Duration(r.Int64N(1e12)), time.Duration(r.Int64N(1e12)), time.Duration(r.Int64N(1e6))},
	} {
		var h rt.Histogram
		for _, d := range list {
			h.Add(d)
		}
		bars := Bars(&h)
		var n uint64
		for i, b := range bars {
			n += b.Count
			if i > 0 && b.From != bars[i-1].To || b.From >= b.To {
				t.Errorf("%v: %v after %v", list, b, bars[max(i-1, 0)])
			}
		}
		if n != uint64(len(list)) || len(bars) > maxBars || bars[0].Count == 0 || bars[len(bars)-1].Count == 0 {
			t.Errorf("%v: %d in %v", list, n, bars)
		}
	}
}

// Three peaks at multiples are told.
func TestHumps(t *testing.T) {
	var h rt.Histogram
	for i := range 3000 {
		h.Add(time.Duration(1+i%3)*200*time.Millisecond + time.Duration(i)*time.Microsecond)
	}
	lines := strings.Join(Peaks(&h), "\n")
	if !strings.Contains(lines, "3 modes") || !strings.Contains(lines, "1, 2, 3 times") {
		t.Error(lines)
	}
}
