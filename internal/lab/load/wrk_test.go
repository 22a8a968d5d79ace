package load

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseWrkReport(t *testing.T) {
	tests := []struct {
		name, out string
		want      WrkResult
	}{
		{"healthy", `Running 4s test @ http://10.213.1.1/
  1 threads and 200 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     4.72ms    2.97ms  20.41ms   68.72%
    Req/Sec    15.35k     3.30k   24.32k    82.50%
  Latency Distribution
     50%    3.86ms
     75%    6.46ms
     90%    9.22ms
     99%   12.96ms
  62393 requests in 4.10s, 8.63MB read
Requests/sec:  15230.16
Transfer/sec:      2.11MB
`, WrkResult{Requests: 62393, Elapsed: 4100 * time.Millisecond, P50: 3860 * time.Microsecond, P99: 12960 * time.Microsecond}},
		{"errors", `Running 4s test @ http://10.213.1.1/app
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   532.43us    1.26ms  20.27ms   97.75%
    Req/Sec   478.35     42.11   505.00     82.50%
  Latency Distribution
     50%  358.00us
     75%  502.00us
     90%  697.00us
     99%    1.38s 
  1908 requests in 4.01s, 577.06KB read
  Socket errors: connect 1, read 2, write 3, timeout 24
  Non-2xx or 3xx responses: 1858
Requests/sec:    475.83
Transfer/sec:    143.91KB
`, WrkResult{Requests: 1908, NotOK: 1858, Elapsed: 4010 * time.Millisecond, P50: 358 * time.Microsecond,
			P99: 1380 * time.Millisecond, Connect: 1, Read: 2, Write: 3, Timeout: 24}},
		{"nothing answered", `Running 1m test @ http://10.213.1.1/
  1 threads and 20 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.00us    0.00us   0.00us    -nan%
    Req/Sec     0.00      0.00     0.00      -nan%
  Latency Distribution
     50%    0.00us
     75%    0.00us
     90%    0.00us
     99%    0.00us
  0 requests in 1.00m, 0.00B read
Requests/sec:      0.00
`, WrkResult{Elapsed: time.Minute}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseWrkReport(tt.out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parseWrkReport (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseWrkReportWithoutReport(t *testing.T) {
	for _, out := range []string{"", "unable to connect to 10.213.1.1:http Connection timed out\n", "99999999999999999999 requests in 1.00s, 0B read"} {
		if r, err := parseWrkReport(out); err == nil {
			t.Errorf("parseWrkReport(%q) = %+v without error", out, r)
		}
	}
}

func TestWrkGoodCountsSuccessOnly(t *testing.T) {
	r := WrkResult{Requests: 1908, NotOK: 1858, Elapsed: 2 * time.Second}
	if got := r.Good(); got != 25 {
		t.Errorf("Good() = %v, want 25", got)
	}
	if got := (WrkResult{Requests: 3}).Good(); got != 0 {
		t.Errorf("Good() of a run without time = %v, want 0", got)
	}
}
