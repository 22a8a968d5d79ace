package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vishvananda/netns"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// round is how often the traffic of a file comes again.
const round = 500 * time.Millisecond

// again is a live source on which the traffic of a file comes again and again, of
// another client address each time.
type again struct {
	pcap.Source // of the file
	packets     []pcap.Packet
	next        time.Time
	frame       uint64
	rounds      int
}

func comesAgain(t *testing.T, file string) *again {
	t.Helper()
	src, err := pcap.Open(t.Context(), []string{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &again{Source: src}
	for {
		b, err := src.Next(t.Context())
		if b == nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return a
		}
		for _, p := range b.Packets {
			p.Data = bytes.Clone(p.Data)
			a.packets = append(a.packets, p)
		}
	}
}

// Next implements pcap.Source.
func (a *again) Next(ctx context.Context) (*pcap.Batch, error) {
	if a.next.IsZero() {
		a.next = time.Now()
	}
	select {
	case <-time.After(time.Until(a.next)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a.next = a.next.Add(round)
	a.rounds++
	from, to := []byte{127, 0, 0, 1}, []byte{10, 0, byte(a.rounds >> 8), byte(a.rounds)}
	b := &pcap.Batch{Now: time.Now().UnixNano()}
	for _, p := range a.packets {
		a.frame++
		p.Time, p.Frame = b.Now, a.frame
		p.Data = bytes.ReplaceAll(p.Data, from, to)
		b.Packets = append(b.Packets, p)
	}
	return b, nil
}

// TestSlidingSessionWithPackets: packets of a session without end belong to
// intervals. What is older than it keeps is forgotten, and the rest is all there.
func TestSlidingSessionWithPackets(t *testing.T) { synctest.Test(t, slidingSessionWithPackets) }

func slidingSessionWithPackets(t *testing.T) {
	const every, keep, length = time.Second, 5 * time.Second, 30 * time.Second
	src := comesAgain(t, filepath.Join("..", "packet", "proto", "redis", "testdata", "redis7.pcap"))
	packets := capture.NewProbe(func() (pcap.Source, error) { return src, nil }, every,
		capture.Options{Source: "again", Engine: engine.Options{Workers: 2}})
	l := Start(Options{What: "packets", Probes: []probe.Probe{packets}, Length: length, Interval: every, Keep: keep})
	defer l.Close()
	ended, held := make(chan struct{}), map[recording.Table]int{}
	go func() {
		defer close(ended)
		for range time.Tick(every) {
			if l.Recording().Manifest().Ended.IsZero() {
				for _, table := range capture.Tables {
					held[table] = max(held[table], l.Recording().Count(table))
				}
				continue
			}
			return
		}
	}()
	e, err := l.Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	each := float64(connectionsIn(t, src))
	total := each * float64(src.rounds)
	if n := held[recording.PacketConnections]; n == 0 || float64(n) > total/2 {
		t.Errorf("%d rows of connections were held at most, of %.0f", n, total)
	}
	captures := recording.Rows[recording.PacketCapture](e.Recording)
	if n := len(captures); n < 3 || n > int(3*keep/every) {
		t.Fatalf("%d intervals are held", n)
	}
	from, to := captures[1].Interval, captures[len(captures)-2].Interval
	window := view.New(e.Recording, from.Add(time.Millisecond), to.Add(-time.Millisecond))
	seen, rounds := len(window.PacketConnections()), to.Sub(from).Seconds()/round.Seconds()
	if float64(seen) < (rounds-2)*each || float64(seen) > (rounds+2)*each {
		t.Errorf("%d connections in %v, want about %.0f", seen, to.Sub(from), rounds*each)
	}
	if n := len(window.PacketCaptures()); n != 1 {
		t.Errorf("%d captures, want one", n)
	}
	e.Recording.Forget(time.Now().Add(time.Hour))
	for _, table := range capture.Tables {
		if n := e.Recording.Count(table); n > 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
}

// vanishing is a source that ends.
type vanishing struct {
	*again
	end time.Time
}

// Next implements pcap.Source.
func (v vanishing) Next(ctx context.Context) (*pcap.Batch, error) {
	if !time.Now().Before(v.end) {
		return nil, io.EOF
	}
	return v.again.Next(ctx)
}

// TestInterfaceComesBack: an interface that vanishes is captured again when it is back.
func TestInterfaceComesBack(t *testing.T) { synctest.Test(t, interfaceComesBack) }

func interfaceComesBack(t *testing.T) {
	const every, gone, back, length = time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second
	file := filepath.Join("..", "packet", "proto", "redis", "testdata", "redis7.pcap")
	began, opened := time.Now(), 0
	packets := capture.NewProbe(func() (pcap.Source, error) {
		if at := time.Since(began); at >= gone && at < back {
			return nil, errors.New("no such interface")
		}
		opened++
		if opened == 1 {
			return vanishing{comesAgain(t, file), began.Add(gone)}, nil
		}
		return comesAgain(t, file), nil
	}, every, capture.Options{Source: "again", Engine: engine.Options{Workers: 2}})
	l := Start(Options{What: "packets", Probes: []probe.Probe{packets}, Length: length, Interval: every})
	defer l.Close()
	e, err := l.Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > length+5*time.Second {
		t.Errorf("it ended after %v", took)
	}
	var before, meanwhile, after int64
	for _, c := range recording.Rows[recording.PacketCapture](e.Recording) {
		switch at := c.Interval.Sub(began); {
		case at < gone+every:
			before += c.Packets
		case at < back:
			meanwhile += c.Packets
		default:
			after += c.Packets
		}
	}
	if opened != 2 || before == 0 || meanwhile > 0 || after < before {
		t.Errorf("opened %d times, %d packets before, %d while it was gone, %d after", opened, before, meanwhile, after)
	}
}

// connectionsIn counts those of one round.
func connectionsIn(t *testing.T, a *again) int {
	t.Helper()
	clients := map[string]bool{}
	for _, p := range a.packets {
		if at := bytes.Index(p.Data, []byte{127, 0, 0, 1, 127, 0, 0, 1}); at >= 0 && p.Data[at+8+13]&0x12 == 0x02 {
			clients[string(p.Data[at+8:at+12])] = true
		}
	}
	if len(clients) == 0 {
		t.Fatal("no SYN in the file")
	}
	return len(clients)
}

// TestNamespaceIsMadeAgain: a capture in a namespace ends when another one has its name.
func TestNamespaceIsMadeAgain(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("makes network namespaces: needs root")
	}
	name := fmt.Sprintf("rtrail-test-%d", os.Getpid())
	remake := func() error {
		made := make(chan error, 1)
		go func() {
			runtime.LockOSThread() // the thread ends in the new namespace, with the goroutine
			_ = netns.DeleteNamed(name)
			n, err := netns.NewNamed(name)
			if err == nil {
				err = n.Close()
			}
			made <- err
		}()
		return <-made
	}
	if err := remake(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = netns.DeleteNamed(name) })
	src, err := (&Packets{Interface: "lo", NetNS: name, Tick: 100 * time.Millisecond}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, err := src.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := remake(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	for {
		if _, err := src.Next(ctx); err != nil {
			if !errors.Is(err, io.EOF) {
				t.Errorf("it ends with %v", err)
			}
			return
		}
	}
}
