package traffic

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/doubt"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/unit"
)

// maxBars bounds the lines of a histogram.
const maxBars = 32

// steps are the edges within a power of ten, the finest first.
var steps = [][]float64{
	{1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8},
	{1, 1.6, 2.5, 4, 6.3},
	{1, 2, 5},
	{1},
}

// Bar is a line of a histogram.
type Bar struct {
	From, To time.Duration // [From, To)
	Count    uint64
}

// Bars puts a histogram into bars with edges that people like to read. Between
// the first and the last one none is left out. A value within 0.8 percent of an
// edge may be counted on its other side.
func Bars(h *rt.Histogram) []Bar {
	buckets := h.Buckets(64)
	if len(buckets) == 0 {
		return nil
	}
	var bars []Bar
	for _, s := range steps {
		bars = barsWith(s, buckets)
		if len(bars) <= maxBars {
			break
		}
	}
	return bars
}

func barsWith(steps []float64, buckets []rt.Bucket) []Bar {
	mid := func(b rt.Bucket) time.Duration { return b.From + (b.To-b.From-1)/2 }
	least := max(mid(buckets[0]), 1)
	most := max(mid(buckets[len(buckets)-1]), least)
	var bars []Bar
	from := edge(1, math.Floor(math.Log10(float64(least))))
	for ten := math.Floor(math.Log10(float64(least))); from <= most && from < math.MaxInt64; ten++ {
		for i := range steps {
			to := edge(10, ten)
			if i+1 < len(steps) {
				to = edge(steps[i+1], ten)
			}
			if to > from && to > least && from <= most {
				bars = append(bars, Bar{From: from, To: to})
			}
			from = to
		}
	}
	bars[0].From = min(bars[0].From, mid(buckets[0]))
	at := 0
	for _, b := range buckets {
		for at < len(bars)-1 && mid(b) >= bars[at].To {
			at++
		}
		bars[at].Count += b.Count
	}
	return bars
}

// edge is s times a power of ten, as far as a duration goes.
func edge(s, ten float64) time.Duration {
	if d := math.Round(s * math.Pow(10, ten)); d < math.MaxInt64 {
		return time.Duration(d)
	}
	return math.MaxInt64
}

// Histograms is one for each service.
func (o Overview) Histograms() []document.Block {
	out := o.capture()
	list := Ranked(o.Summary.Services, func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	})
	for _, k := range list[:min(len(list), o.Top)] {
		out = append(out, o.histogram(k, o.Summary.Services[k])...)
	}
	return Filled(out...)
}

// maxBar is as long as bars need to be.
const maxBar = 50

func (o Overview) histogram(k summary.Service, t *summary.Total) []document.Block {
	if t.Count == 0 {
		if t.Excluded() == 0 {
			return nil
		}
		return []document.Block{document.Prose{Words: fmt.Sprintf("RT of %s on port %s: none that counts; left out: %s", Proto(k.Proto, &t.Stats), service(k), doubt.Reasons(&t.Requests))}}
	}
	title := fmt.Sprintf("RT of %s on port %s: %s, mean %s, p50 %s, p99 %s, max %s", Proto(k.Proto, &t.Stats), service(k), unit.Plural(t.Count, "request", "requests"),
		unit.Duration(t.Mean()), unit.Duration(t.Quantile(0.5)), unit.Duration(t.Quantile(0.99)), unit.Duration(t.RTMax))
	bars := Bars(&t.RT)
	var most, sum uint64
	for _, b := range bars {
		most = max(most, b.Count)
	}
	length := maxBar
	if o.Width > 0 {
		length = min(length, max(10, o.Width-53))
	}
	var rows [][]string
	for _, b := range bars {
		sum += b.Count
		rows = append(rows, []string{unit.Duration(b.From).String(), unit.Duration(b.To).String(), "|" + bar(b.Count, most, length), orDash(b.Count),
			shareOf(b.Count, uint64(t.Count)), shareOf(sum, uint64(t.Count))})
	}
	also := Peaks(&t.RT)
	if n := t.Excluded(); n > 0 {
		also = append(also, fmt.Sprintf("left out: %s (%s)", unit.Plural(n, "request", "requests"), doubt.Reasons(&t.Requests)))
	}
	return []document.Block{document.Table{Title: title, Rows: rows, Columns: []document.Column{{Name: "from", Right: true}, {Name: "to", Right: true}, {Name: ""}, {Name: "count", Right: true},
		{Name: "share", Right: true}, {Name: "up to", Right: true}}}, remarks(also...)}
}

// shareOf never rounds something to nothing, nor most to all.
func shareOf(n, of uint64) string {
	p := float64(n) / float64(of)
	switch {
	case n == 0:
		return "-"
	case n < of && p > 0.9995:
		return "<100 %"
	case p < 0.0005:
		return "<0.1 %"
	case p > 0.995 && n < of:
		return fmt.Sprintf("%.1f %%", p*100)
	}
	return unit.Share(p).String()
}

// bar is as long as its share of the longest one, in eighths; what is there is
// seen.
func bar(n, most uint64, length int) string {
	eighths := int(math.Round(float64(n) / float64(most) * float64(length) * 8))
	if n > 0 {
		eighths = max(eighths, 1)
	}
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s
}

// perOctave is the resolution at which peaks are looked for.
const perOctave = 16

// Peaks says in words how many peaks there are and where.
func Peaks(h *rt.Histogram) []string {
	modes := rt.Modes(h.Buckets(perOctave))
	if len(modes) == 0 {
		return nil
	}
	at := rt.Centers(h.Buckets(64), modes)
	if len(modes) == 1 {
		return []string{"1 peak, at " + unit.Duration(at[0]).String()}
	}
	var words []string
	for i, m := range modes {
		words = append(words, fmt.Sprintf("%s (%s)", unit.Duration(at[i]), unit.Share(m.Share)))
	}
	lines := []string{fmt.Sprintf("%d peaks, at %s", len(modes), strings.Join(words, ", "))}
	if times, ok := Multiples(at); ok {
		var list []string
		for _, n := range times {
			list = append(list, fmt.Sprint(n))
		}
		lines = append(lines, fmt.Sprintf("these are %s times %s: it looks as if requests of that length queue for too few workers",
			strings.Join(list, ", "), unit.Duration(at[0])))
	}
	return lines
}

const (
	// Modes are at multiples of the first one if the steps between them are so
	// near to it, as a share: in a line of jobs of 2.00 s that take 0.06 s on the
	// way, the fourth is at 8.06 s, which is 3.91 times 2.06 s.
	multipleShare = 0.05
	// Beyond this multiple every time would be near one.
	maxMultiple = 5
)

// Multiples tells whether times, ascending, lie at whole multiples of the first
// one, and at which.
func Multiples(at []time.Duration) (times []int, ok bool) {
	if len(at) < 2 || at[0] <= 0 {
		return nil, false
	}
	for _, d := range at {
		ratio := float64(d) / float64(at[0])
		n := math.Round(ratio)
		if n > maxMultiple || math.Abs(ratio-n) > multipleShare*max(1, n-1) || len(times) > 0 && int(n) == times[len(times)-1] {
			return nil, false
		}
		times = append(times, int(n))
	}
	return times, true
}
