package imported

import (
	"slices"
	"strings"
	"time"
)

// parseVMStat reads what vmstat prints. The first report, which tells of the time since the
// host was started, is left out.
func parseVMStat(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "vmstat", file: file, dated: true, clock: Local}
	lines := lineReader{text: text}
	var h *header
	first, last, early := true, time.Time{}, 0
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
	return t, lines.check(t)
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
