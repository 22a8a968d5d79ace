package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// maxHugeSizes bounds the sizes of huge pages: no architecture has more.
const maxHugeSizes = 8

// failures reads how often limits were hit that few groups have. Those that
// hardly ever rise are read only when rare is set.
func (r *reading) failures(g *group, rare bool) {
	row := r.row
	// Where both limits are the same, as Docker sets them without swap, the one of
	// memory and swap together is hit first and memory.failcnt stays 0.
	if g.version == 1 && row.SwapMax >= 0 && row.SwapMax < unlimited {
		row.MemswFailures = r.number(g.dirs["memory"], "memory.memsw.failcnt")
	}
	if !rare || g.path == "/" {
		return
	}
	huge := int64(0)
	if g.version == 1 {
		row.KmemFailures = parseNumber(r.once(g.dirs["memory"], "memory.kmem.failcnt"))
		row.SocketFailures = parseNumber(r.once(g.dirs["memory"], "memory.kmem.tcp.failcnt"))
		for _, size := range r.probe.huge {
			huge = plus(huge, parseNumber(r.once(g.dirs["hugetlb"], "hugetlb."+size+".failcnt")))
		}
		row.HugeFailures = r.ofAll(huge)
		return
	}
	if !strings.Contains(g.names, "hugetlb") {
		return
	}
	for _, size := range r.probe.huge {
		failed, ok := procfile.Number(r.once(g.dir, "hugetlb."+size+".events"), "max")
		if !ok {
			failed = recording.Unknown
		}
		huge = plus(huge, failed)
	}
	row.HugeFailures = r.ofAll(huge)
}

// ofAll is a sum over the sizes of huge pages: a kernel without them has none.
func (r *reading) ofAll(huge int64) int64 {
	if len(r.probe.huge) == 0 {
		return recording.Unknown
	}
	return huge
}

// plus adds a counter to a sum, which is unknown as soon as one of them is: what
// was left out of it would look like a rise when it can be read again.
func plus(sum, n int64) int64 {
	if sum < 0 || n < 0 {
		return recording.Unknown
	}
	return sum + n
}

// hugeSizes lists the sizes of huge pages that the kernel has, as hugetlb files
// of control groups name them: 2MB, 1GB (mem_fmt in mm/hugetlb_cgroup.c).
func (p *Probe) hugeSizes() (list []string) {
	entries, err := os.ReadDir(filepath.Join(p.root, "sys/kernel/mm/hugepages"))
	if err != nil {
		return nil // a kernel without huge pages
	}
	for _, e := range entries[:min(len(entries), maxHugeSizes)] {
		number, ok := strings.CutPrefix(e.Name(), "hugepages-")
		kib, valid := procfile.Int([]byte(strings.TrimSuffix(number, "kB")))
		switch {
		case !ok || !valid:
		case kib >= 1<<20:
			list = append(list, fmt.Sprintf("%dGB", kib>>20))
		case kib >= 1<<10:
			list = append(list, fmt.Sprintf("%dMB", kib>>10))
		default:
			list = append(list, fmt.Sprintf("%dKB", kib))
		}
	}
	slices.Sort(list)
	return list
}
