package load

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/lab/env"
)

func TestQuantileCountsFailuresAsSlowest(t *testing.T) {
	r := PacedResult{Latencies: []time.Duration{1, 2, 3, 4, 5, 6, 7, 8}, Failed: 2}
	tests := []struct {
		q      float64
		want   time.Duration
		failed bool
	}{
		{.1, 1, false}, {.5, 5, false}, {.8, 8, false}, {.81, 8, true}, {.99, 8, true},
	}
	for _, tt := range tests {
		if d, failed := r.Quantile(tt.q); d != tt.want || failed != tt.failed {
			t.Errorf("Quantile(%v) = %v, %v; want %v, %v", tt.q, d, failed, tt.want, tt.failed)
		}
	}
	if d, failed := (PacedResult{Failed: 1}).Quantile(.5); d != 0 || !failed {
		t.Errorf("Quantile of nothing but failures = %v, %v", d, failed)
	}
	if d, failed := (PacedResult{}).Quantile(.5); d != 0 || failed {
		t.Errorf("Quantile of nothing = %v, %v", d, failed)
	}
}

func TestPacedDoesNotWaitForSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		r := Paced(t.Context(), 50*time.Millisecond, 10*time.Millisecond, 3, func(context.Context) error {
			if n.Add(1)%3 == 0 {
				return errors.New("refused")
			}
			time.Sleep(100 * time.Millisecond)
			return nil
		})
		// A client that waited would have started 3.
		if started := len(r.Latencies) + r.Failed; started != 15 || r.Failed != 5 || r.Error == nil {
			t.Errorf("paced started %d, of which %d failed with %v; want 15 and a third", started, r.Failed, r.Error)
		}
		if len(r.Latencies) == 0 || r.Latencies[0] != 100*time.Millisecond {
			t.Errorf("latencies are %v; want 100 ms", r.Latencies)
		}
	})
}

func TestAskReadsTheAnswer(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			request := make([]byte, len(RedisPing))
			if _, err := io.ReadFull(c, request); err == nil && string(request) == RedisPing {
				io.WriteString(c, RedisPong)
			}
			c.Close()
		}
	}()
	var host *env.NetNS
	addr := l.Addr().(*net.TCPAddr).AddrPort()
	if err := Ask(t.Context(), host, addr, RedisPing, int64(len(RedisPong)), time.Second); err != nil {
		t.Errorf("ask: %v", err)
	}
	if err := Ask(t.Context(), host, addr, RedisPing, 0, time.Second); err != nil {
		t.Errorf("ask until closed: %v", err)
	}
	if err := Ask(t.Context(), host, addr, "WHAT??", 0, time.Second); err == nil {
		t.Error("ask without answer gave no error")
	}
	l.Close()
	if err := Ask(t.Context(), host, netip.AddrPortFrom(addr.Addr(), addr.Port()), RedisPing, 0, time.Second); err == nil {
		t.Error("ask of a port nothing listens on gave no error")
	}
}
