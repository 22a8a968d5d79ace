package traffic

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// TestTimesOfSeveralDays holds lists to tell days apart, whether they are printed
// when all is known or as it comes.
func TestTimesOfSeveralDays(t *testing.T) {
	begin := time.Date(2026, 1, 31, 22, 13, 20, 0, time.UTC)
	for _, tc := range []struct {
		name   string
		second time.Duration // after the first
		table  string        // time of the second request in a table
		lines  string        // between the two lines
	}{
		{"within an hour", time.Hour, "\n 23:13:20.000000 ", "\n23:13:20.000000 "},
		{"over midnight", 2 * time.Hour, "\n 00:13:20.000000 ", "\n2026-02-01 UTC\n00:13:20.000000 "},
		{"a year later", 365 * 24 * time.Hour, "\n 2027-01-31 22:13:20.000000 ", "\n2027-01-31 UTC\n22:13:20.000000 "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := []rt.Transaction{{Start: begin.UnixNano()}, {Start: begin.Add(tc.second).UnixNano()}}
			var lines, seconds strings.Builder
			o := Overview{Report: &engine.Report{First: list[0].Start, Last: list[1].Start}, Summary: &summary.Summary{}, Zone: time.UTC, Top: 5}
			table := printed(0, o.Transactions("LIST", list))
			l, s := Lines{Out: &lines, Zone: time.UTC}, Seconds{Out: &seconds, Zone: time.UTC}
			encode := l.Encode(0)
			for i := range list {
				place := placeOf(&list[i])
				if err := l.Text(&place, encode(nil, &list[i])); err != nil {
					t.Fatal(err)
				}
				s.Second(&summary.Second{At: list[i].Start})
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(table, tc.table) {
				t.Errorf("the table lacks %q:\n%s", tc.table, table)
			}
			if !strings.Contains(lines.String(), tc.lines) {
				t.Errorf("the lines lack %q:\n%s", tc.lines, &lines)
			}
			if !strings.HasPrefix(lines.String(), "2026-01-31 UTC\n") || !strings.HasPrefix(seconds.String(), "2026-01-31 UTC\n") {
				t.Errorf("no date and zone above\n%s%s", &lines, &seconds)
			}
			if want := strings.Replace(tc.lines, ".000000 ", " ", 1); !strings.Contains(seconds.String(), want) {
				t.Errorf("the seconds lack %q:\n%s", want, &seconds)
			}
		})
	}
}
