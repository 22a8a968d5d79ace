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
	var faults, swap, scan, refault, oom bool
	lines := 0
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		key, rest := procfile.Field(line)
		n, _, ok := procfile.NextUint(rest)
		if !ok {
			continue
		}
		lines++
		switch string(key) {
		case "pgpgin":
			row.PageIn = n
		case "pgpgout":
			row.PageOut = n
		case "pswpin":
			row.SwapIn, swap = n, true
		case "pswpout":
			row.SwapOut = n
		case "pgfault":
			row.Faults = n
		case "pgmajfault":
			row.MajorFaults, faults = n, true
		case "workingset_refault_anon":
			row.RefaultAnon, refault = n, true
		case "workingset_refault_file", "workingset_refault":
			row.RefaultFile, refault = n, true
		case "oom_kill":
			row.OOMKills, oom = n, true
		case "htlb_buddy_alloc_fail":
			row.HugePageFails = n
		case "drop_pagecache":
			row.DropPageCache = n
		case "drop_slab":
			row.DropSlab = n
		case "compact_stall":
			row.CompactStalls = n
		case "numa_miss":
			row.NUMAMiss = n
		case "nr_dirtied":
			row.Dirtied = n
		case "nr_written":
			row.Written = n
		case "pgscan_direct_throttle": // sleeps, not pages
		default:
			if addByZone(&row, key, n) {
				scan = true
			}
		}
	}
	if lines == 0 {
		return row, nil, fmt.Errorf("no counters in /proc/vmstat")
	}
	for _, c := range []struct {
		have bool
		name string
	}{
		{faults, "pgmajfault"}, {swap, "pswpin"}, {scan, "pgscan_direct"},
		{refault, "workingset_refault_file"}, {oom, "oom_kill"},
	} {
		if !c.have {
			missing = append(missing, c.name)
		}
	}
	return row, missing, nil
}

// addByZone adds the counters that kernels before 4.8, or all kernels for
// allocstall, split by zone: pgscan_kswapd_normal, allocstall_movable.
func addByZone(row *recording.VMStatSample, key []byte, n uint64) bool {
	for _, c := range [...]struct {
		name string
		sum  *uint64
	}{
		{"allocstall", &row.AllocStalls},
		{"pgscan_kswapd", &row.ScanKswapd},
		{"pgscan_direct", &row.ScanDirect},
		{"pgsteal_kswapd", &row.StealKswapd},
		{"pgsteal_direct", &row.StealDirect},
	} {
		if rest, ok := bytes.CutPrefix(key, []byte(c.name)); ok && (len(rest) == 0 || rest[0] == '_') {
			*c.sum += n
			return true
		}
	}
	return false
}
