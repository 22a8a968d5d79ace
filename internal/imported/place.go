package imported

import (
	"math"
	"os"
	"time"

	"rtrail/internal/recording"
)

// zonesApart is how far the time zone of one place may be ahead of that of another.
const zonesApart = 26 * time.Hour

// place gives times to reports that have none: they begin with the others, or end when the
// file was written. Reports with times of a day that they do not tell are put to that of the others.
func place(all []*told) {
	var dated, known recording.Window
	for _, t := range all {
		if t.dated && t.clock < TimeOfDay {
			t.span(&known)
		}
	}
	for _, t := range all {
		if t.dated && t.clock == TimeOfDay && known.To.After(known.From) {
			t.near(known)
		}
		if t.dated {
			t.span(&dated)
		}
	}
	for _, t := range all {
		if t.dated {
			continue
		}
		from := dated.From
		if from.IsZero() {
			from = time.Now().Truncate(time.Second)
			if info, err := os.Stat(t.file); err == nil && sane(info.ModTime()) {
				from = info.ModTime().Truncate(time.Second)
			} else if sane(t.written) {
				from = t.written.Truncate(time.Second)
			}
			from = from.Add(-time.Duration(len(t.reports)) * usual)
		}
		for i := range t.reports {
			t.reports[i].at, t.reports[i].began = from.Add(time.Duration(i)*usual), time.Time{}
		}
	}
}

// span adds the time that t tells of to w.
func (t *told) span(w *recording.Window) {
	for i := range t.reports {
		w.Add(t.reports[i].at)
	}
}

// near moves t by whole days to where most of it is beside others. It cannot have been
// written before it was made; a copy may be as late as it likes.
func (t *told) near(others recording.Window) {
	var own recording.Window
	t.span(&own)
	apart := others.From.Add(others.To.Sub(others.From) / 2).Sub(own.From.Add(own.To.Sub(own.From) / 2))
	days := int(math.Round(apart.Hours() / 24))
	if days == 0 || own.To.AddDate(0, 0, days).After(t.written.Add(zonesApart)) {
		return
	}
	t.move(days)
	t.note("%s: the text does not say its day: that of the other files is taken", t.file)
}

// move moves all reports of t by days.
func (t *told) move(days int) {
	for i := range t.reports {
		r := &t.reports[i]
		r.at = r.at.AddDate(0, 0, days)
		if !r.began.IsZero() {
			r.began = r.began.AddDate(0, 0, days)
		}
	}
}
