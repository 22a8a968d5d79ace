package load

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSysbench(t *testing.T) {
	tests := []struct {
		name, out string
		want      Measurement
	}{
		{"cpu", `CPU speed:
    events per second:   648.52

General statistics:
    total time:                          1.0004s
    total number of events:              650

Latency (ms):
         max:                                    9.95
         99th percentile:                        4.25
`, Measurement{Value: 648.52, Unit: "events/s", Detail: "p99 4.25 ms"}},
		{"database", `SQL statistics:
    transactions:                        50214  (10041.52 per sec.)
    queries:                             50214  (10041.52 per sec.)
Latency (ms):
         99th percentile:                        0.34
`, Measurement{Value: 10041.52, Unit: "events/s", Detail: "p99 0.34 ms"}},
		{"threads", `General statistics:
    total time:                          2.0000s
    total number of events:              4000

Latency (ms):
         99th percentile:                        0.39
`, Measurement{Value: 2000, Unit: "events/s", Detail: "p99 0.39 ms"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseSysbench(tt.out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parseSysbench (-want +got):\n%s", diff)
			}
		})
	}
	if m, err := ParseSysbench("FATAL: unable to connect"); err == nil {
		t.Errorf("parseSysbench of a failed run = %+v", m)
	}
}
