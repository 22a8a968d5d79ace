package imported

import (
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/view"
)

// parseVMStat reads what vmstat prints. The first report, which tells of the time since the
// host was started, is left out.
func parseVMStat(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "vmstat", file: file, dated: true, clock: Local}
	lines := lineReader{text: text}
	var h *header
	first, last, early := true, time.Time{}, 0
	var memory memoryShown
	for {
		line, ok := lines.next()
		if !ok {
			break
		}
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasPrefix(words[0], "TS"): // pt-stalk
		case strings.Contains(words[0], "procs") && strings.Contains(line, "--"):
		case slices.Contains(words, "swpd") && slices.Contains(words, "cs"):
			h = newHeader(words)
			h.translated()
			if n := len(words); len(words[n-1]) > 2 && !slices.Contains(vmstatColumns, words[n-1]) {
				h.names = h.names[:n-1] // the time zone above times
			}
		case h == nil || len(words) < len(h.names):
			lines.damaged(line)
		default:
			r, ok := h.row(words[:len(h.names)])
			if !ok {
				lines.damaged(line)
				continue
			}
			at, _, dated := dateAndTime(strings.Join(words[len(h.names):], " "))
			if !dated {
				t.dated = false
			}
			if dated && at.Before(last) {
				early++
				continue
			}
			last = at
			memory.add(h, r)
			if first {
				first = false
				lines.rows++ // read, though it says nothing of the window
				t.reports = append(t.reports, report{at: at, base: true})
				continue
			}
			if lines.room() {
				t.reports = append(t.reports, report{at: at, tables: []table{{h, []row{r}}}})
			}
		}
	}
	t.setBack(early)
	if len(t.reports) == 1 {
		lines.rows = 0
	}
	if len(t.reports) > 0 && !memory.inKiB() {
		t.swapsUnknown()
		t.note("%s: swapping is left out: memory is not in KiB (vmstat -S), and nothing tells the unit; record without -S", file)
	}
	return t, lines.check(t)
}

// leastShown is less than a host has free and cached together, in bytes: one with less has other
// worries.
const leastShown = 64 << 20

// memoryShown is what a text of vmstat shows of memory. Its header does not tell the unit (-S), and
// si and so are in it, too.
type memoryShown struct {
	lines   int
	largest float64 // of the sums of free and cached memory
	parts   bool    // a number is no multiple of a page in KiB
	smaller bool    // a number is no multiple of a KiB in bytes
}

func (m *memoryShown) add(h *header, r row) {
	free, buffers, cache := h.get(r, "free"), h.get(r, "buff", "inact"), h.get(r, "cache", "active")
	m.lines++
	m.largest = max(m.largest, view.OrZero(free)+view.OrZero(buffers)+view.OrZero(cache))
	for _, v := range []float64{h.get(r, "swpd"), free, buffers, cache} {
		m.parts = m.parts || math.Mod(view.OrZero(v), pageKiB) != 0
		m.smaller = m.smaller || math.Mod(view.OrZero(v), 1024) != 0
	}
}

// inKiB says that the unit is KiB. A large host has as many MiB as a small one has KiB, but not all of
// these numbers are multiples of four; those of bytes are all multiples of 1024.
func (m *memoryShown) inKiB() bool {
	bytes := m.lines > 1 && m.largest >= leastShown && !m.smaller
	return m.largest >= leastShown>>10 && !m.parts && !bytes
}

// swapsUnknown takes away what is swapped.
func (t *told) swapsUnknown() {
	for _, r := range t.reports {
		for _, part := range r.tables {
			for i, column := range part.header.names {
				if column != "si" && column != "so" {
					continue
				}
				for _, line := range part.rows {
					line.values[i] = view.Unknown
				}
			}
		}
	}
}

// translated gives the columns of memory, which are words in some languages, the names that they have
// in English: they stand between swpd and si.
func (h *header) translated() {
	i := slices.Index(h.names, "swpd")
	if i+6 > len(h.names) || h.names[i+4] != "si" || h.names[i+5] != "so" {
		return
	}
	for n, names := range [][]string{{"free"}, {"buff", "inact"}, {"cache", "active"}} {
		if !slices.Contains(names, h.names[i+1+n]) {
			h.names[i+1+n] = names[0]
		}
	}
}

// vmstatColumns are the last columns that vmstat may have.
var vmstatColumns = []string{"id", "wa", "st", "gu"}
