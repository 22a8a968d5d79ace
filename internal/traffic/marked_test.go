package traffic

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// A protocol is marked where boundaries were inferred, in every view alike, also
// where none of its requests counts.
func TestInferredBoundariesAreMarked(t *testing.T) {
	answer := rt.Transaction{Status: proto.Answered}
	inferred := rt.Transaction{Status: proto.Answered, Doubt: proto.Approximate}
	leftOut := rt.Transaction{Status: proto.Answered, Doubt: proto.Approximate | proto.Ambiguous}
	unanswered := rt.Transaction{Status: proto.Unanswered, Doubt: proto.Approximate}
	tests := []struct {
		name     string
		protocol string
		requests []rt.Transaction
		want     string
	}{
		{"decoded", "mysql", []rt.Transaction{answer}, "mysql"},
		{"in part", "mysql", []rt.Transaction{answer, inferred}, "~mysql"},
		{"all ambiguous", "generic", []rt.Transaction{leftOut, leftOut}, "~generic"},
		{"decoded in part, all without answer", "mysql", []rt.Transaction{unanswered}, "~mysql"},
		{"decoded, no request", "mysql", nil, "mysql"},
		{"not decoded, no request", "generic", nil, "~generic"},
		{"records, no request", "tls", nil, "~tls"},
		{"no data", "", nil, "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			service := summary.Service{Server: flow.Endpoint{Port: 3306}, Proto: tt.protocol}
			total, second := &summary.Total{}, &summary.Second{At: 1e9, Service: service}
			for i := range tt.requests {
				total.Stats.Add(&tt.requests[i])
				second.Stats.Add(&tt.requests[i])
			}
			if got := Proto(tt.protocol, &total.Stats); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			var merged rt.Stats
			merged.Merge(&total.Stats)
			if got := Proto(tt.protocol, &merged); got != tt.want {
				t.Errorf("merged: %q, want %q", got, tt.want)
			}
			var lines strings.Builder
			seconds := Seconds{Out: &lines, Zone: time.UTC}
			seconds.Second(second)
			if err := seconds.Close(); err != nil {
				t.Fatal(err)
			}
			sum := &summary.Summary{Services: map[summary.Service]*summary.Total{service: total}}
			services := printed(0, Overview{Report: &engine.Report{}, Summary: sum, Top: 1}.Sums()...)
			for view, text := range map[string]string{"seconds": lines.String(), "services": services} {
				if !strings.Contains(text, " "+tt.want+" ") {
					t.Errorf("%s: %q is missing:\n%s", view, tt.want, text)
				}
			}
			if legend := strings.Contains(services, "\n ~"); legend != (tt.want[0] == '~') {
				t.Errorf("the mark is explained: %v", legend)
			}
		})
	}
}
