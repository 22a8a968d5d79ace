package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// memory reads /proc/meminfo (kernel Documentation/filesystems/proc.rst).
type memory struct {
	fs      FS
	meminfo procfile.File
}

func newMemory(fs FS) *memory { return &memory{fs: fs, meminfo: fs.file("proc/meminfo")} }

func (m *memory) read(w *recording.Writer, full bool) error {
	b, err := m.meminfo.Read()
	if err != nil {
		return err
	}
	row, err := parseMeminfo(b)
	if err != nil {
		return err
	}
	row.At = time.Now()
	if full {
		row.Corrected, row.Uncorrected = m.errors()
	}
	recording.Append(w, row)
	return nil
}

// parseMeminfo reads lines "MemTotal:  24684096 kB". Gauges that are not
// printed stay Unknown: MemAvailable came with 3.14.
func parseMeminfo(b []byte) (recording.MemorySample, error) {
	const u = recording.Unknown
	row := recording.MemorySample{
		Total: u, Free: u, Available: u, Buffers: u, Cached: u, SwapCached: u, Active: u, Inactive: u,
		Anon: u, Mapped: u, Shmem: u, Dirty: u, Writeback: u, SReclaimable: u, SUnreclaim: u,
		PageTables: u, Committed: u, CommitLimit: u, SwapTotal: u, SwapFree: u, HugeTotal: u, Corrected: u, Uncorrected: u,
	}
	var hugePages, hugeSize int64 = u, u
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		key, rest := procfile.Field(line)
		if len(key) == 0 {
			continue
		}
		kib, _, ok := procfile.NextUint(rest)
		if !ok {
			continue
		}
		value := int64(min(kib, 1<<52)) << 10
		switch string(key) {
		case "MemTotal:":
			row.Total = value
		case "MemFree:":
			row.Free = value
		case "MemAvailable:":
			row.Available = value
		case "Buffers:":
			row.Buffers = value
		case "Cached:":
			row.Cached = value
		case "SwapCached:":
			row.SwapCached = value
		case "Active:":
			row.Active = value
		case "Inactive:":
			row.Inactive = value
		case "AnonPages:":
			row.Anon = value
		case "Mapped:":
			row.Mapped = value
		case "Shmem:":
			row.Shmem = value
		case "Dirty:":
			row.Dirty = value
		case "Writeback:":
			row.Writeback = value
		case "SReclaimable:":
			row.SReclaimable = value
		case "SUnreclaim:":
			row.SUnreclaim = value
		case "PageTables:":
			row.PageTables = value
		case "Committed_AS:":
			row.Committed = value
		case "CommitLimit:":
			row.CommitLimit = value
		case "SwapTotal:":
			row.SwapTotal = value
		case "SwapFree:":
			row.SwapFree = value
		case "Hugetlb:": // all page sizes, since 4.16
			row.HugeTotal = value
		case "HugePages_Total:": // a number of pages of the default size
			hugePages = value >> 10
		case "Hugepagesize:":
			hugeSize = value
		}
	}
	if row.HugeTotal == u && hugePages != u && hugeSize != u {
		row.HugeTotal = hugePages * hugeSize
	}
	if row.Total == u {
		return row, fmt.Errorf("no MemTotal in /proc/meminfo")
	}
	return row, nil
}

// maxControllers bounds the memory controllers that are read.
const maxControllers = 64

// errors adds up what the memory controllers counted (kernel
// Documentation/admin-guide/RAS); Unknown without a driver for them.
func (m *memory) errors() (corrected, uncorrected int64) {
	corrected, uncorrected = recording.Unknown, recording.Unknown
	dir := m.fs.path("sys/devices/system/edac/mc")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return corrected, uncorrected
	}
	// A sum without one of its parts would look like a counter that was reset.
	sum := func(file string, controllers []string) (total int64) {
		for _, c := range controllers {
			b, err := procfile.ReadOnce(filepath.Join(dir, c, file), nil)
			n, ok := procfile.Int(bytes.TrimSpace(b))
			if err != nil || !ok || n < 0 {
				return recording.Unknown
			}
			total += n
		}
		return total
	}
	var controllers []string
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), "mc"); ok && number != "" && len(controllers) < maxControllers {
			controllers = append(controllers, e.Name())
		}
	}
	if len(controllers) > 0 {
		corrected, uncorrected = sum("ce_count", controllers), sum("ue_count", controllers)
	}
	return corrected, uncorrected
}
