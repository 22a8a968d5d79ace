package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"rtrail/internal/packet/generate"
)

// What a release has to reach, on two cores and a warm page cache.
const (
	wantRate   = 4e6 // packets a second, A and B
	wantTshark = 30  // times as fast as tshark, A and B
	wantCat    = 3   // times the time of cat at most, C
	wantSmall  = 150 // MB at most, A and C
	wantMany   = 500 // MB at most, B
)

// comparison reads the big captures.
type comparison struct {
	rtrail, dir   string
	names         string
	rounds, times int
	tshark        bool
	stop          <-chan os.Signal
}

var errStopped = errors.New("stopped")

func (b *comparison) run(stop <-chan os.Signal) error {
	b.stop = stop
	dir, err := os.MkdirTemp(b.dir, "rtrail-measure-")
	if err != nil {
		return fmt.Errorf("make a place for captures: %w", err)
	}
	defer os.RemoveAll(dir)
	fmt.Printf("%s\n\n%-8s %10s %8s %8s %10s %8s %10s %8s\n", machine(), "capture", "packets", "MB", "seconds", "packets/s", "CPU ns", "per packet", "RSS MB")
	var rss1 float64
	for _, l := range []struct {
		name  string
		times int
		most  float64 // MB
		long  bool
	}{{"A", 1, wantSmall, false}, {"B", 1, wantMany, false}, {"C", 1, wantSmall, false}, {"D", 1, wantSmall, false}, {"A", b.times, wantSmall, true}} {
		if !strings.Contains(b.names, l.name) || l.long && b.times <= 1 {
			continue
		}
		path := filepath.Join(dir, "capture.pcap")
		total, err := write(path, l.name, l.times)
		if err != nil {
			return err
		}
		name := l.name
		if l.times > 1 {
			name = fmt.Sprintf("%s x%d", l.name, l.times)
		}
		best, err := b.best(b.rtrail, "packets", path)
		if err != nil {
			return err
		}
		rate := float64(total.Packets) / best.took.Seconds()
		fmt.Printf("%-8s %10d %8d %8.2f %10.0f %8.0f %10s %8.0f\n", name, total.Packets, total.Bytes>>20, best.took.Seconds(), rate,
			float64(best.cpu.Nanoseconds())/float64(total.Packets), "", best.rss)
		say("memory, MB", best.rss, l.most, best.rss <= l.most)
		switch {
		case l.times > 1:
			fmt.Printf("         memory of the long capture: %.2f times that of the short one\n", best.rss/rss1)
		case l.name == "A" || l.name == "B":
			say("packets a second", rate, wantRate, rate >= wantRate)
			if err := b.beside(path, best); err != nil {
				return err
			}
		case l.name == "C":
			cat, err := b.best("cat", path)
			if err != nil {
				return err
			}
			ratio := best.took.Seconds() / cat.took.Seconds()
			say(fmt.Sprintf("times the %.2f s of cat", cat.took.Seconds()), ratio, wantCat, ratio <= wantCat)
		}
		if l.name == "A" && l.times == 1 {
			rss1 = best.rss
		}
	}
	fmt.Println(machine())
	return nil
}

func write(path, name string, times int) (generate.Totals, error) {
	load, err := generate.LoadNamed(name)
	if err != nil {
		return generate.Totals{}, err
	}
	f, err := os.Create(path)
	if err != nil {
		return generate.Totals{}, fmt.Errorf("write capture %s: %w", name, err)
	}
	defer f.Close()
	total, err := load.Write(f, times, 1)
	if err == nil {
		err = f.Sync() // so that nobody pays for the writing later
	}
	return total, err
}

// beside measures tshark on the same capture, once: it takes long.
func (b *comparison) beside(path string, best measured) error {
	if !b.tshark {
		return nil
	}
	if _, err := exec.LookPath("tshark"); err != nil {
		fmt.Println("         tshark is not measured: it is not installed")
		return nil
	}
	t, err := b.measure("tshark", "-q", "-z", "conv,tcp", "-r", path)
	if err != nil {
		return err
	}
	ratio := t.took.Seconds() / best.took.Seconds()
	say(fmt.Sprintf("times as fast as tshark (%.1f s, %.0f MB)", t.took.Seconds(), t.rss), ratio, wantTshark, ratio >= wantTshark)
	return nil
}

func say(what string, got, want float64, ok bool) {
	verdict := "reached"
	if !ok {
		verdict = "NOT reached"
	}
	fmt.Printf("         %.4g %s; wanted %.4g: %s\n", got, what, want, verdict)
}

// measured is one run of a program.
type measured struct {
	took, cpu time.Duration
	rss       float64 // MB, the most
}

// best is the fastest of some runs; its memory is the most of all.
func (b *comparison) best(name string, args ...string) (measured, error) {
	var best measured
	for i := range b.rounds {
		m, err := b.measure(name, args...)
		if err != nil {
			return best, err
		}
		rss := max(best.rss, m.rss)
		if i == 0 || m.took < best.took {
			best = m
		}
		best.rss = rss
	}
	return best, nil
}
