// Package capacity measures what a host can do, by loading it.
package capacity

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/crash"
)

const (
	// hashBytes is what is hashed at a time; all caches hold it.
	hashBytes = 16 << 10
	// copyBytes is what is copied at a time; no cache holds it.
	copyBytes = 64 << 20
)

// CPU measures how fast the CPUs hash: one, and all of them.
func CPU(ctx context.Context, b *baseline.Baseline, length time.Duration) error {
	hash := func() func() int64 {
		data := make([]byte, hashBytes)
		return func() int64 {
			sum := sha256.Sum256(data)
			data[0] = sum[0]
			return hashBytes
		}
	}
	return each(ctx, b, length, baseline.CPU, baseline.HashOne, baseline.HashAll, hash)
}

// Memory measures how fast memory is copied, by one thread and by as many as there are CPUs.
func Memory(ctx context.Context, b *baseline.Baseline, length time.Duration) error {
	return each(ctx, b, length, baseline.Memory, baseline.CopyOne, baseline.CopyAll, func() func() int64 {
		from, to := make([]byte, copyBytes), make([]byte, copyBytes)
		for i := 0; i < len(from); i += 4096 {
			from[i], to[i] = 1, 1 // pages that are there
		}
		return func() int64 { return int64(copy(to, from)) }
	})
}

// each measures what one thread does, and what all CPUs do.
func each(ctx context.Context, b *baseline.Baseline, length time.Duration, kind baseline.Kind, one, all baseline.What, worker func() func() int64) error {
	for _, x := range []struct {
		what    baseline.What
		threads int
	}{{one, 1}, {all, runtime.GOMAXPROCS(0)}} {
		rate, err := together(ctx, length, x.threads, worker)
		if err != nil {
			return err
		}
		b.Add(kind, "", x.what, rate)
	}
	return nil
}

// together is what workers did a second, all of them together.
func together(ctx context.Context, length time.Duration, threads int, worker func() func() int64) (float64, error) {
	var sum atomic.Int64
	var ready, done sync.WaitGroup
	failed := make(chan error, threads)
	begin := make(chan struct{})
	var stop atomic.Bool
	ready.Add(threads)
	for range threads {
		done.Go(func() {
			failed <- crash.Guard(func() error {
				work := worker()
				ready.Done()
				<-begin
				for !stop.Load() {
					sum.Add(work())
				}
				return nil
			})
		})
	}
	ready.Wait()
	began := time.Now()
	close(begin)
	select {
	case <-time.After(length):
	case <-ctx.Done():
	}
	stop.Store(true)
	done.Wait()
	rate := float64(sum.Load()) / time.Since(began).Seconds()
	for range threads {
		if err := <-failed; err != nil {
			return 0, err
		}
	}
	return rate, ctx.Err()
}

// HTTP measures requests over loopback: as many clients as there are CPUs, with small answers.
func HTTP(ctx context.Context, b *baseline.Baseline, length time.Duration) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })}
	served := make(chan error, 1)
	go func() { served <- crash.Guard(func() error { return server.Serve(l) }) }()
	clients := runtime.GOMAXPROCS(0)
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: endWithin}
	defer client.CloseIdleConnections()
	var refused atomic.Pointer[error]
	rate, err := together(ctx, length, clients, func() func() int64 {
		return func() int64 {
			answer, err := client.Get("http://" + l.Addr().String())
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
				err = errors.Join(err, answer.Body.Close())
			}
			if err != nil {
				refused.CompareAndSwap(nil, &err)
				return 0
			}
			return 1
		}
	})
	err = errors.Join(err, server.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	if e := refused.Load(); e != nil {
		err = errors.Join(err, *e)
	}
	b.Add(baseline.HTTP, "", baseline.Requests, rate)
	return err
}
