package host

import (
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"rtrail/internal/recording"
)

// BenchmarkSample is one sample of the running machine: the short one of every
// second, and the full one with settings, mounts, zones and interrupts.
func BenchmarkSample(b *testing.B) {
	for _, bench := range []struct {
		name string
		full bool
	}{{"short", false}, {"full", true}} {
		b.Run(bench.name, func(b *testing.B) {
			p := New(FS{})
			start := time.Now()
			p.Sample(b.Context(), recording.NewWriter(start))
			b.ReportAllocs()
			for b.Loop() {
				if bench.full {
					p.Closing()
				}
				if err := p.Sample(b.Context(), recording.NewWriter(start)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReaders compares the reading of single files here and by procfs,
// which is why the files of every sample are parsed by hand.
func BenchmarkReaders(b *testing.B) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		b.Fatal(err)
	}
	host := FS{}
	own := func(r reader) func() error {
		return func() error { return r.read(recording.NewWriter(time.Now()), false) }
	}
	for _, bench := range []struct {
		name string
		read func() error
	}{
		{"stat/own", own(newCPU(host))},
		{"stat/procfs", func() error { _, err := fs.Stat(); return err }},
		{"meminfo/own", own(newMemory(host))},
		{"meminfo/procfs", func() error { _, err := fs.Meminfo(); return err }},
		{"softirqs/own", own(newTable(host.file("proc/softirqs"), parseSoftIRQs))},
		{"softirqs/procfs", func() error { _, err := fs.Softirqs(); return err }},
		{"zoneinfo/own", own(newTable(host.file("proc/zoneinfo"), parseZones))},
		{"zoneinfo/procfs", func() error { _, err := fs.Zoneinfo(); return err }},
		{"vmstat/own", own(newVMStat(host))},
		{"diskstats/own", own(newDisk(host))},
		{"pressure/own", own(newPressure(host))},
		{"interrupts/own", own(newTable(host.file("proc/interrupts"), parseInterrupts))},
		{"mounts/own", own(newMount(host))},
		{"sysctl/own", own(newSysctl(host))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bench.read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
