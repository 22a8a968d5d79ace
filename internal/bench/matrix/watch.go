package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/beside"
	"rtrail/internal/bench/load"
	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/view"
)

// Sources are what a step is watched by.
type Sources struct {
	// Probes makes them; rec is the recording that they fill, once they run.
	Probes func(rec func() *recording.Recording) []probe.Probe
	About  recording.Manifest
	Local  bool             // the server is on this host
	Server []netip.AddrPort // where packets find it
	// PlainHTTP says that the load is requests of HTTP, without TLS, over connections that stay open.
	PlainHTTP bool
	Notes     []string // what is not watched, and why
}

// Watch records this host while a step runs.
type Watch struct {
	sources Sources
	host    *session.Live
	dir     *recording.Directory
	stop    context.CancelFunc
	done    sync.WaitGroup
	err     error
	going   func(movers []int32, own map[int32]bool) load.Going
}

// mostSamples bounds the evidence of a step, which is held in memory.
const mostSamples = 60

// StartWatch records into a folder for as long as a step may take.
func StartWatch(ctx context.Context, s Sources, path string, length time.Duration) (*Watch, error) {
	w := &Watch{sources: s, going: after(ctx)}
	probes := s.Probes(func() *recording.Recording { return w.host.Recording() })
	w.host = session.Start(session.Options{What: "this host", Probes: probes, Interval: max(time.Second, (length / mostSamples).Round(time.Second)), About: s.About})
	about := w.host.Recording().Manifest()
	for _, p := range about.Probes {
		if p.Missing != "" {
			w.sources.Notes = append(w.sources.Notes, fmt.Sprintf("probe %s does not run: %s", p.Name, p.Missing))
		}
	}
	var err error
	if w.dir, err = recording.Create(path, about, recording.Options{MaxSize: 1 << 30}); err != nil {
		w.host.Close()
		return nil, err
	}
	w.host.Also(w.dir)
	ctx, w.stop = context.WithCancel(ctx)
	w.done.Go(func() {
		w.err = crash.Guard(func() error { return w.host.Run(ctx, length+time.Hour) })
	})
	return w, nil
}

// End ends the recording, and judges the measured seconds of a run where there are some.
func (w *Watch) End(r *bench.Run) error {
	w.stop()
	w.done.Wait()
	err := errors.Join(w.err, w.dir.Close())
	defer w.host.Close()
	if r == nil || !r.Ended.After(r.Began) || err != nil {
		return err
	}
	e := session.Evidence{Recording: w.host.Recording(), From: r.Began, To: r.Ended}
	r.Notes = append(r.Notes, w.sources.Notes...)
	s := sidesOf(e.View(), w.sources.Server)
	local := w.sources.Local || s.served // in a container
	if local {
		beside.Host(r, e.View())
		if w.sources.PlainHTTP && !slices.ContainsFunc(w.sources.Server, func(a netip.AddrPort) bool { return !a.Addr().IsLoopback() }) {
			beside.LoopbackHTTP(r, e.View())
		}
	} else {
		r.Notes = append(r.Notes, "the server is not on this host: what it did is not known, and findings are those of the client, of packets and of what the server was asked")
	}
	fillWire(r, e.View(), w.sources.Server)
	found := e.Judge()
	at := "the target"
	if len(w.sources.Server) > 0 {
		at = w.sources.Server[0].String()
	}
	disturbed(r, e.View(), &found, s, local, at, w.going)
	r.Saturated = beside.Saturated(e.View(), found)
	return nil
}

// fillWire says what packets say of the requests.
func fillWire(r *bench.Run, v *view.View, servers []netip.AddrPort) {
	for _, at := range servers {
		for _, s := range v.PacketServicesAt(at.Addr().String(), at.Port()) {
			if s.Count == 0 || r.Wire.QPS > 0 && s.Count < int64(float64(r.Wire.QPS)*r.Seconds()) {
				continue
			}
			// Sums are kept by seconds of the clock: those that lie within the window count.
			from, to := r.Began.Add(time.Second-1).Truncate(time.Second), r.Ended.Truncate(time.Second)
			count, failed := int64(0), int64(0)
			for i := range s.Seconds {
				if at := s.Seconds[i].At; !at.Before(from) && at.Before(to) {
					count += s.Seconds[i].Count
					failed += s.Seconds[i].Failed
				}
			}
			ms := func(d time.Duration) document.Number { return document.Number(float64(d) / 1e6) }
			rate := document.Number(float64(count) / to.Sub(from).Seconds())
			r.Wire = bench.Load{TPS: rate, QPS: rate, Errors: document.Number(failed), Mean: ms(s.RTSum / time.Duration(s.Count)),
				P50: ms(s.RTP50), P95: ms(s.RTP95), P99: ms(s.RTP99), Max: ms(s.RTMax)}
		}
	}
}
