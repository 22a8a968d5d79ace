// Package load uses servers as their users do, and measures what these get:
// requests at a pace of their own, wrk, sysbench, statements of SQL, commands of
// Redis, bulk transfers, and the small programs of package actor.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"rtrail/internal/lab/env"
)

// PacedResult is what the users of a service saw who come at their own pace,
// whether it is slow or not.
type PacedResult struct {
	Latencies []time.Duration // of requests that succeeded, ascending
	Failed    int
	Error     error // one of the failures
	Elapsed   time.Duration
}

// Quantile returns the latency that a share q of all requests kept within. A
// failed request counts as slower than any other; failed is true when q falls
// among them, and the latency is that of the slowest success.
func (r PacedResult) Quantile(q float64) (d time.Duration, failed bool) {
	n := len(r.Latencies) + r.Failed
	i := int(math.Ceil(q*float64(n))) - 1
	if len(r.Latencies) == 0 {
		return 0, r.Failed > 0
	}
	if i >= len(r.Latencies) {
		return r.Latencies[len(r.Latencies)-1], true
	}
	return r.Latencies[max(i, 0)], false
}

// String says it for a measurement's detail.
func (r PacedResult) String() string {
	p50, _ := r.Quantile(.5)
	p99, _ := r.Quantile(.99)
	s := fmt.Sprintf("%d answered, p50 %s, p99 %s, %d failed", len(r.Latencies), ms(p50), ms(p99), r.Failed)
	if r.Error != nil {
		s += ": " + r.Error.Error()
	}
	return s
}

// Rate gives answered requests a second as the application's number.
func (r PacedResult) Rate() Measurement {
	return Measurement{Value: float64(len(r.Latencies)) / r.Elapsed.Seconds(), Unit: "requests/s", Detail: r.String()}
}

// P99 gives the 99th percentile in milliseconds as the application's number.
func (r PacedResult) P99() Measurement { return r.Tail(.99, "p99") }

// P50 gives the median in milliseconds.
func (r PacedResult) P50() Measurement { return r.Tail(.5, "p50") }

// Tail gives another percentile in milliseconds.
func (r PacedResult) Tail(q float64, name string) Measurement {
	d, _ := r.Quantile(q)
	return Measurement{Value: float64(d) / float64(time.Millisecond), Unit: "ms " + name, LowerBetter: true, Detail: r.String()}
}

// Paced starts burst requests at once, every so often, for d, and waits for
// all of them. do must end by itself.
func Paced(ctx context.Context, d, every time.Duration, burst int, do func(context.Context) error) PacedResult {
	var (
		mu sync.Mutex
		wg sync.WaitGroup
		r  PacedResult
	)
	one := func() {
		start := time.Now()
		err := do(ctx)
		took := time.Since(start)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			r.Failed++
			r.Error = err
			return
		}
		r.Latencies = append(r.Latencies, took)
	}
	start := time.Now()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil && time.Since(start) < d {
		for range burst {
			wg.Go(one)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	r.Elapsed = time.Since(start)
	wg.Wait()
	slices.Sort(r.Latencies)
	return r
}

// Visits makes one request after the other for d, as one user does who thinks
// in between. do must end by itself.
func Visits(ctx context.Context, d, think time.Duration, do func(context.Context) error) (r PacedResult) {
	start := time.Now()
	for ctx.Err() == nil && time.Since(start) < d {
		asked := time.Now()
		if err := do(ctx); err != nil {
			r.Failed++
			r.Error = err
		} else {
			r.Latencies = append(r.Latencies, time.Since(asked))
		}
		env.Sleep(ctx, think)
	}
	r.Elapsed = time.Since(start)
	slices.Sort(r.Latencies)
	return r
}

// Ask opens a connection from the namespace, sends the request and reads the
// answer until the peer closes or, with upTo, until so many bytes are there.
func Ask(ctx context.Context, in *env.NetNS, addr netip.AddrPort, request string, upTo int64, timeout time.Duration) error {
	conn, err := in.Connect(ctx, addr, timeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	if upTo > 0 {
		_, err = io.CopyN(io.Discard, conn, upTo)
		return err
	}
	n, err := io.Copy(io.Discard, conn)
	if err == nil && n == 0 {
		err = errors.New("closed without an answer")
	}
	return err
}

// AskPage asks for a page over a connection of its own, as somebody does who waits for it no longer
// than patience. An error page, such as that of a proxy whose server is gone, is no page.
func AskPage(ctx context.Context, in *env.NetNS, addr netip.AddrPort, path string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	conn, err := in.Connect(ctx, addr, patience)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: lab\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n", path); err != nil {
		return err
	}
	const good = "HTTP/1.1 200 "
	begin := make([]byte, len(good))
	if _, err := io.ReadFull(conn, begin); err != nil {
		return err
	}
	if string(begin) != good {
		return fmt.Errorf("answered with %q", begin)
	}
	_, err = io.Copy(io.Discard, conn) // an answer that is cut ends with an error or too late
	return err
}

// Worst is p99, where those who gave up count with all the time they waited.
func (r PacedResult) Worst(patience time.Duration) Measurement {
	m := r.P99()
	if _, failed := r.Quantile(.99); failed {
		m.Value = float64(patience) / float64(time.Millisecond)
	}
	return m
}
