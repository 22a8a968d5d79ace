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
	row := recording.MemorySample{Corrected: u, Uncorrected: u}
	var hugePages, hugeSize int64
	gauges := map[string]*int64{
		"MemTotal:": &row.Total, "MemFree:": &row.Free, "MemAvailable:": &row.Available,
		"Buffers:": &row.Buffers, "Cached:": &row.Cached,
		"Active:": &row.Active, "AnonPages:": &row.Anon, "Shmem:": &row.Shmem,
		"Dirty:": &row.Dirty, "Writeback:": &row.Writeback,
		"SReclaimable:": &row.SReclaimable, "SUnreclaim:": &row.SUnreclaim, "PageTables:": &row.PageTables,
		"Committed_AS:": &row.Committed, "CommitLimit:": &row.CommitLimit,
		"SwapTotal:": &row.SwapTotal, "SwapFree:": &row.SwapFree,
		"Hugetlb:":         &row.HugeTotal, // all page sizes, since 4.16
		"HugePages_Total:": &hugePages,     // a number of pages of the default size
		"Hugepagesize:":    &hugeSize,
	}
	for _, gauge := range gauges {
		*gauge = u
	}
	for name, kib := range procfile.Numbers(b) {
		if gauge := gauges[string(name)]; gauge != nil {
			*gauge = min(kib, 1<<52) << 10
		}
	}
	if row.HugeTotal == u && hugePages != u && hugeSize != u {
		row.HugeTotal = hugePages >> 10 * hugeSize
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
