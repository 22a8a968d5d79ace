package main

import (
	"math"
	"testing"

	"rtrail/internal/bench/failover"
	"rtrail/internal/document"
)

// A server that nobody writes to is told of once; one that somebody wrote to never.
func TestIdleServers(t *testing.T) {
	nan := document.Number(math.NaN())
	for name, tt := range map[string]struct {
		tps  []document.Number
		want int // the second that tells it; 0: none
	}{
		"idle":                  {make([]document.Number, 30), 10},
		"not asked at times":    {[]document.Number{nan, 0, 0, nan, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12},
		"written to":            {append([]document.Number{5}, make([]document.Number, 30)...), 0},
		"written to in the end": {append(make([]document.Number, 8), 5, 0, 0, 0), 0},
	} {
		q, told := idle{}, 0
		for n, tps := range tt.tps {
			if q.next(&failover.Second{TPS: tps}) {
				if told > 0 {
					t.Errorf("%s: told twice", name)
				}
				told = n + 1
			}
		}
		if told != tt.want {
			t.Errorf("%s: told after %d seconds, want %d", name, told, tt.want)
		}
	}
	if q := (idle{wrote: true}); q.next(&failover.Second{}) {
		t.Error("a watch that writes is idle")
	}
}

// That there are no writes is news only where there were some.
func TestNotesOfIdleServers(t *testing.T) {
	l := watchLines{}
	for n, want := range []string{"* nothing writes", "", "* writes", "* no writes"} {
		if got := l.notes(&failover.Second{TPS: []document.Number{0, 0, 5, 0}[n]}); got != want {
			t.Errorf("second %d: %q, want %q", n, got, want)
		}
	}
}
