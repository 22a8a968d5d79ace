package process

import (
	"context"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// BenchmarkSample is a sample in the middle of a window, on this machine.
func BenchmarkSample(b *testing.B) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	if err := p.Start(); err != nil {
		b.Skip(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Sample(context.Background(), recording.NewWriter(time.Now())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.all)), "processes")
}

// BenchmarkEdge is the first or the last sample of a window.
func BenchmarkEdge(b *testing.B) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	if err := p.Start(); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		p.Closing()
		if err := p.Sample(context.Background(), recording.NewWriter(time.Now())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.all)), "processes")
}
