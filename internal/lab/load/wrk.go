package load

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
)

// WrkResult is what wrk says about a run.
type WrkResult struct {
	Requests int           // answered, whatever the status
	NotOK    int           // of these, with a status outside 2xx and 3xx
	Elapsed  time.Duration // of the whole run
	P50, P99 time.Duration // latency of answered requests; 0 when there were none
	Connect  int           // socket errors, by what failed
	Read     int
	Write    int
	Timeout  int
}

// Good is the rate of requests answered with success, per second.
func (r WrkResult) Good() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Requests-r.NotOK) / r.Elapsed.Seconds()
}

// String says it for a measurement's detail.
func (r WrkResult) String() string {
	return fmt.Sprintf("p99 %s, %d not 2xx or 3xx, %d socket errors, %d timeouts",
		ms(r.P99), r.NotOK, r.Connect+r.Read+r.Write, r.Timeout)
}

// Measurement gives successful requests a second as the application's number.
func (r WrkResult) Measurement() Measurement {
	return Measurement{Value: r.Good(), Unit: "requests/s", Detail: r.String()}
}

func ms(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}

// Wrk says how wrk loads a server.
type Wrk struct {
	URL         string
	Paths       []string // asked for instead of the URL's, each for a second in turn
	Connections int
	// Think is what every connection waits before a request, so that the load
	// has a rate and does not take all the CPU there is.
	Think time.Duration
	// Close opens a new connection for every request.
	Close   bool
	Timeout time.Duration // after which wrk counts a request as late, in whole seconds; 0: 1 s
	CPUs    string        // it may run on, as for taskset -c; "": all
}

// Run runs wrk for d, at least a second, with one thread.
func (l Wrk) Run(ctx context.Context, e *env.Env, in *env.NetNS, d time.Duration) (WrkResult, error) {
	script := ""
	if l.Think > 0 {
		script += fmt.Sprintf("function delay() return %d end\n", max(l.Think.Milliseconds(), 1))
	}
	if len(l.Paths) > 0 {
		script += fmt.Sprintf("local paths = {\"%s\"}\nfunction request() return wrk.format(nil, paths[os.time() %% #paths + 1]) end\n",
			strings.Join(l.Paths, `", "`))
	}
	if l.Close {
		script += "wrk.headers[\"Connection\"] = \"close\"\n"
	}
	path, err := e.WriteFile("wrk.lua", script)
	if err != nil {
		return WrkResult{}, err
	}
	// wrk knows whole seconds only.
	seconds := func(d time.Duration) string { return fmt.Sprintf("%ds", max(int(math.Round(d.Seconds())), 1)) }
	ctx, cancel := context.WithTimeout(ctx, d+10*time.Second)
	defer cancel()
	out, err := e.RunWith(ctx, env.Options{NetNS: in, CPUs: l.CPUs}, "wrk", "-t1", "-c"+strconv.Itoa(l.Connections),
		"-d"+seconds(d), "--latency", "--timeout", seconds(l.Timeout), "-s", path, l.URL)
	if err != nil {
		return WrkResult{}, err
	}
	return parseWrkReport(out)
}

var (
	wrkTotal        = regexp.MustCompile(`(?m)^\s*(\d+) requests in ([0-9.]+(?:us|ms|s|m|h)),`)
	wrkQuant        = regexp.MustCompile(`(?m)^\s*(50|99)%\s+([0-9.]+(?:us|ms|s|m|h))\s*$`)
	wrkSocketErrors = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	wrkNotOK        = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
)

// parseWrkReport reads the report of wrk 4, run with --latency.
func parseWrkReport(out string) (WrkResult, error) {
	var r WrkResult
	m := wrkTotal.FindStringSubmatch(out)
	if m == nil {
		return r, fmt.Errorf("read the report of wrk: no line \"N requests in T\" in %q", env.LastBytes(strings.TrimSpace(out), 300))
	}
	var err error
	if r.Requests, err = strconv.Atoi(m[1]); err != nil {
		return r, fmt.Errorf("read the report of wrk: %w", err)
	}
	if r.Elapsed, err = time.ParseDuration(m[2]); err != nil {
		return r, fmt.Errorf("read the report of wrk: %w", err)
	}
	for _, q := range wrkQuant.FindAllStringSubmatch(out, -1) {
		d, err := time.ParseDuration(q[2])
		if err != nil {
			return r, fmt.Errorf("read the report of wrk: %w", err)
		}
		if q[1] == "50" {
			r.P50 = d
		} else {
			r.P99 = d
		}
	}
	if m := wrkSocketErrors.FindStringSubmatch(out); m != nil {
		for i, to := range []*int{&r.Connect, &r.Read, &r.Write, &r.Timeout} {
			*to, _ = strconv.Atoi(m[i+1]) // digits by the expression
		}
	}
	if m := wrkNotOK.FindStringSubmatch(out); m != nil {
		r.NotOK, _ = strconv.Atoi(m[1])
	}
	return r, nil
}
