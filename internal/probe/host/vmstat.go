package host

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// vmstat reads /proc/vmstat (kernel mm/vmstat.c).
type vmstat struct{ file procfile.File }

func newVMStat(fs FS) *vmstat { return &vmstat{file: fs.file("proc/vmstat")} }

func (v *vmstat) read(w *recording.Writer, _ bool) error {
	b, err := v.file.Read()
	if err != nil {
		return err
	}
	row, missing, err := parseVMStat(b)
	if err != nil {
		return err
	}
	row.At = time.Now()
	recording.Append(w, row)
	if len(missing) > 0 {
		return &probe.MissingError{
			What: "this kernel does not count " + strings.Join(missing, ", "),
			How:  "a newer kernel; oom_kill came with 4.13, CONFIG_VM_EVENT_COUNTERS gives the others",
		}
	}
	return nil
}

// parseVMStat returns the counters and which of those that rules cannot do
// without the kernel does not have.
func parseVMStat(b []byte) (row recording.VMStatSample, missing []string, err error) {
	counters := map[string]*uint64{
		"pgpgin": &row.PageIn, "pgpgout": &row.PageOut, "pswpin": &row.SwapIn, "pswpout": &row.SwapOut,
		"pgfault": &row.Faults, "pgmajfault": &row.MajorFaults,
		"workingset_refault_file": &row.RefaultFile, "workingset_refault": &row.RefaultFile,
		"oom_kill": &row.OOMKills, "htlb_buddy_alloc_fail": &row.HugePageFails,
		"drop_pagecache": &row.DropPageCache, "drop_slab": &row.DropSlab,
		"compact_stall": &row.CompactStalls, "numa_miss": &row.NUMAMiss,
		"nr_dirtied": &row.Dirtied, "nr_written": &row.Written,
	}
	found := map[*uint64]bool{}
	lines := 0
	for name, n := range procfile.Numbers(b) {
		lines++
		counter, known := counters[string(name)]
		if !known {
			counter = byZone(&row, name)
		}
		if counter != nil {
			*counter += uint64(n)
			found[counter] = true
		}
	}
	if lines == 0 {
		return row, nil, fmt.Errorf("no counters in /proc/vmstat")
	}
	for _, name := range []string{"pgmajfault", "pswpin", "workingset_refault_file", "oom_kill"} {
		if !found[counters[name]] {
			missing = append(missing, name)
		}
	}
	return row, missing, nil
}

// byZone finds the counters that kernels before 4.8, or all kernels for
// allocstall, split by zone: pgscan_kswapd_normal, allocstall_movable.
func byZone(row *recording.VMStatSample, key []byte) *uint64 {
	for _, c := range [...]struct {
		name string
		sum  *uint64
	}{
		{"allocstall", &row.AllocStalls},
		{"pgscan_kswapd", &row.ScanKswapd},
	} {
		if rest, ok := bytes.CutPrefix(key, []byte(c.name)); ok && (len(rest) == 0 || rest[0] == '_') {
			return c.sum
		}
	}
	return nil
}
