package audit

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	usualDirty = rule.Threshold{Name: "usual-dirty", Value: 40, Unit: "count", Source: "TuneD, profile throughput-performance",
		Reason: "Percent of memory that may wait to be written before writers wait. The kernel's default is 20; servers with RHEL have 40 from their first start on."}
	usualBackground = rule.Threshold{Name: "usual-background", Value: 0.1, Unit: "share", Source: "kernel, vm.dirty_background_ratio of mm/page-writeback.c",
		Reason: "Share of memory that waits to be written when the kernel begins to write by default. More shows what limits above the defaults do."}
	smallDirty = rule.Threshold{Name: "small-dirty", Value: 4 << 20, Unit: "bytes", Source: rule.Judgement,
		Reason: "A few writes of a copy: below this, every program that writes waits for the disk."}
	longExpire = rule.Threshold{Name: "long-expire", Value: 600, Unit: "seconds", Source: rule.Judgement,
		Reason: "The default is 30 s. What is written later is lost in a crash and comes to the disk in one piece."}
	swapPreference = rule.Threshold{Name: "swap-preference", Value: 10, Unit: "count", Source: "manuals of MySQL, PostgreSQL, Redis and MongoDB",
		Reason: "They ask for 1 to 10, so that page cache goes before their own memory. The default of the kernel is 60."}
	databaseShare = rule.Threshold{Name: "database-share", Value: 0.4, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the host's memory that a database holds. Below it, the kernel finds enough else to let go of."}
	copyShare = rule.Threshold{Name: "copy-share", Value: 0.5, Unit: "share", Source: "manual of Redis, vm.overcommit_memory",
		Reason: "Share of the host's memory: the copy of a larger process for a snapshot may be refused."}
	commitShare  = rule.Threshold{Name: "commit-share", Value: 0.9, Unit: "share", Source: rule.Judgement, Reason: "Share of the commit limit in use."}
	reserveShare = rule.Threshold{Name: "reserve-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of memory that vm.min_free_kbytes keeps free. The kernel takes 64 to 256 MiB of a large host, or 0.4 % of a small one."}
	smallReserve = rule.Threshold{Name: "small-reserve", Value: 1 << 20, Unit: "bytes", Source: rule.Judgement,
		Reason: "On a host with 1 GiB or more the kernel takes 4 MiB at least. Drivers cannot wait for memory and lose packets."}
	cachePressure = rule.Threshold{Name: "cache-pressure", Value: 1000, Unit: "count", Source: "kernel, Documentation/admin-guide/sysctl/vm.rst",
		Reason: "The default is 100; at 1000 the kernel looks for ten times as many objects to free as there are."}
)

var memoryChecks = []Check{
	{
		ID: "audit/dirty-pages", Title: "much may wait to be written, or next to nothing",
		Reads:      "vm.dirty_ratio, dirty_bytes, dirty_background_ratio, dirty_background_bytes, dirty_expire_centisecs, dirty_writeback_centisecs",
		Why:        "What programs write waits in memory. With a high limit it comes to the disk at once, and whoever syncs or reads meanwhile waits for seconds; with a tiny one each write waits for the disk.",
		When:       "A limit is far from the defaults of kernel and distributions, or nothing is written in time. A background limit that is not below the other is none: the kernel takes half of the other.",
		Change:     "Set the limits in bytes: what the disk writes in a second or two, a quarter of it in the background.",
		Price:      "Lower limits make bulk writers wait earlier.",
		Leave:      "Hosts that write files which are deleted before they would be written; laptops that let disks sleep.",
		Explains:   []string{"disk/saturated", "disk/slow-sync"},
		Thresholds: []*rule.Threshold{&usualDirty, &smallDirty, &longExpire, &usualBackground},
		Look:       lookDirty,
	},
	{
		ID: "audit/swappiness", Title: "the kernel swaps out a database to keep page cache",
		Reads:    "vm.swappiness, /proc/swaps, memory of database processes",
		Why:      "A database has a cache of its own. If its pages go to swap, what it takes for memory is a read from the disk, within locks.",
		When:     "There is swap on a disk, vm.swappiness is above the threshold, and a database holds a large share of the host's memory.",
		Change:   "Lower vm.swappiness.",
		Price:    "Less page cache for other programs.",
		Leave:    "Hosts whose swap is compressed memory (zram, zswap), and those where the database is not what matters.",
		Explains: []string{"mem/swapping"}, Proves: []string{"mem/swapping"},
		Thresholds: []*rule.Threshold{&swapPreference, &databaseShare},
		Look:       lookSwappiness,
	},
	{
		ID: "audit/huge-pages", Title: "transparent huge pages beside a database that suffers from them",
		Reads:      "/sys/kernel/mm/transparent_hugepage/enabled and defrag, THP_enabled of /proc/PID/status",
		Why:        "While Redis or Valkey writes a snapshot, each small change copies 2 MiB instead of 4 KiB: latency and memory. With defrag = always any program waits while the kernel moves pages together.",
		When:       "enabled is always and a database of this kind has not turned them off for itself, as Redis does since 6.2; or defrag is always, too, and another database holds a large share of the memory.",
		Change:     "Set enabled to madvise, and restart the database.",
		Price:      "Programs that gain from huge pages and do not ask for them get slower by some percent.",
		Leave:      "MongoDB 8.0 and later, which asks for them, and hosts of virtual machines and large Java heaps.",
		Explains:   []string{"mem/fragmentation"},
		Thresholds: []*rule.Threshold{&databaseShare},
		Look:       lookHugePages,
	},
	{
		ID: "audit/overcommit", Title: "the kernel may refuse memory that is there",
		Reads:      "vm.overcommit_memory, Committed_AS and CommitLimit of /proc/meminfo, memory of Redis and its relatives",
		Why:        "With 2 the kernel counts what programs asked for, not what they use, and refuses more than its limit. With 0 it may refuse the copy that a large Redis makes for a snapshot, which then fails.",
		When:       "It is 2 and the limit is nearly used up, or it is 0 and such a server holds a large share of the memory.",
		Change:     "Set it to 1 for Redis and Valkey; with 2 raise vm.overcommit_ratio, or add swap.",
		Price:      "With 1 nothing is refused: if memory runs out, the kernel kills.",
		Leave:      "Redis without snapshots and replicas; hosts that had better fail an allocation than have a process killed.",
		Explains:   []string{},
		Thresholds: []*rule.Threshold{&commitShare, &copyShare},
		Look:       lookOvercommit,
	},
	{
		ID: "audit/min-free", Title: "the reserve of free memory is out of proportion",
		Reads:      "vm.min_free_kbytes and the host's memory",
		Why:        "Below this reserve only the kernel gets memory. A large one is memory that nobody uses, and the kernel kills early; with a tiny one network cards find no memory for packets.",
		When:       "It is a larger share of memory than the threshold, or below the smallest useful size on a host with 1 GiB or more.",
		Change:     "Set it to 1 % of memory, 256 MiB at most.",
		Price:      "A smaller reserve makes allocations within interrupts fail sooner.",
		Leave:      "Hosts whose driver or vendor asks for it.",
		Explains:   []string{"mem/oom-kill", "mem/reclaim", "mem/swapping", "mem/fragmentation"},
		Thresholds: []*rule.Threshold{&reserveShare, &smallReserve},
		Look:       lookReserve,
	},
	{
		ID: "audit/cache-pressure", Title: "the kernel drops names of files at once, or never",
		Reads:    "vm.vfs_cache_pressure",
		Why:      "At 0 the cache of names and inodes is never given back, until memory runs out. Far above the default, files are looked up on the disk again and again.",
		When:     "It is 0, or at least the threshold.",
		Change:   "Set it to 100, the default.",
		Price:    "None.",
		Leave:    "File servers with millions of small files, which set it to 50 or so, have no remark here.",
		Explains: []string{"mem/reclaim"}, Proves: []string{"mem/reclaim"},
		Thresholds: []*rule.Threshold{&cachePressure},
		Look: func(v *view.View) ([]Remark, bool) {
			n, ok := ofHost(v, "vm.vfs_cache_pressure")
			if !ok || n > 0 && n < int64(cachePressure.Int()) {
				return nil, ok
			}
			return found(Remark{Subject: v.HostEntity(), Words: rule.T("vm.vfs_cache_pressure is %d; the default is 100", n),
				See: shell.Line("sysctl vm.vfs_cache_pressure"), Change: shell.Line("sysctl -w vm.vfs_cache_pressure=100"),
				Fits: func(f *rule.Finding) (explains, proves bool) {
					// Names that are never given back hold more than all files do.
					m, known := v.MemoryNow()
					return f.Subject.Kind == view.KindHost, n == 0 && known && m.SReclaimable > m.Cached-m.Shmem
				}})
		},
	},
	{
		ID: "audit/zone-reclaim", Title: "a NUMA node frees memory instead of using that of others",
		Reads:    "vm.zone_reclaim_mode and the nodes in /proc/zoneinfo",
		Why:      "When a node is full, the kernel drops its page cache, or swaps, although other nodes have free memory.",
		When:     "It is not 0 and there are several nodes.",
		Change:   "Set it to 0, the default.",
		Price:    "More remote memory, which is slower by a third or so.",
		Leave:    "Programs that are bound to nodes and use no page cache.",
		Explains: []string{"mem/numa", "mem/swapping", "mem/reclaim"}, Proves: []string{"mem/numa"},
		Look: func(v *view.View) ([]Remark, bool) {
			mode, ok := ofHost(v, "vm.zone_reclaim_mode")
			if nodes := len(nodeMemory(v)); !ok || nodes < 2 || mode == 0 {
				return nil, ok && nodes >= 2
			}
			return found(Remark{Subject: v.HostEntity(), Words: rule.T("vm.zone_reclaim_mode is %d: a full NUMA node drops its page cache while others have free memory", mode),
				See: shell.Line("sysctl vm.zone_reclaim_mode; numactl --hardware"), Change: shell.Line("sysctl -w vm.zone_reclaim_mode=0"),
				Fits: func(f *rule.Finding) (explains, proves bool) {
					p, _ := v.Paging()
					swaps := mode&reclaimSwaps != 0 && p.SwapOut > 0
					return f.Rule == "mem/reclaim" || swaps, swaps
				}})
		},
	},
	{
		ID: "audit/numa-balancing", Title: "NUMA balancing moves a database that fits no node",
		Reads:    "kernel.numa_balancing, the nodes in /proc/zoneinfo, memory of database processes",
		Why:      "The kernel takes pages away for a moment to see who uses them, and moves them. Of a process that is larger than a node that goes on for ever, with page faults as the only gain.",
		When:     "It is on, and a database holds more memory than its largest node has.",
		Change:   "Turn it off, and start the database with interleaved memory (numactl --interleave=all, innodb_numa_interleave).",
		Price:    "Processes that would fit a node stay where they were started.",
		Leave:    "Hosts with many smaller processes beside the database.",
		Explains: []string{},
		Look:     lookBalancing,
	},
}

// reclaimSwaps is the bit of vm.zone_reclaim_mode with which a node also swaps; 1 only
// drops page cache.
const reclaimSwaps = 4

func lookDirty(v *view.View) (list []Remark, seen bool) {
	at := func(words rule.Text, change shell.Command) {
		list = append(list, Remark{Subject: v.HostEntity(), Words: words, See: shell.Line("sysctl -a -r vm.dirty"), Change: change,
			Fits: func(f *rule.Finding) (explains, proves bool) { return writtenLate(v, f), false }})
	}
	ratio, known := ofHost(v, "vm.dirty_ratio")
	bytes, _ := ofHost(v, "vm.dirty_bytes")
	if !known {
		return nil, false
	}
	switch {
	case bytes == 0 && ratio > int64(usualDirty.Int()):
		at(rule.T("vm.dirty_ratio is %d: up to %v may wait to be written; the default is 20", ratio, unit.Bytes(float64(memoryOf(v))*float64(ratio)/100)), shell.Line("sysctl -w vm.dirty_ratio=20"))
	case memoryOf(v) > 0 && bytes/(memoryOf(v)/100+1) > int64(usualDirty.Int()):
		at(rule.T("vm.dirty_bytes is %d: up to %v of %v may wait to be written; the default is a fifth of it", bytes, unit.Bytes(bytes), unit.Bytes(memoryOf(v))), shell.Line("sysctl -w vm.dirty_ratio=20"))
	case bytes == 0 && ratio == 0 || bytes > 0 && bytes < int64(smallDirty.Value):
		at(rule.T("next to nothing may wait to be written (vm.dirty_ratio = %d, vm.dirty_bytes = %d): each write waits for the disk", ratio, bytes), shell.Line("sysctl -w vm.dirty_ratio=20"))
	}
	if n, ok := ofHost(v, "vm.dirty_writeback_centisecs"); ok && n == 0 {
		at(rule.T("vm.dirty_writeback_centisecs is 0: nothing is written in the background because it is old; the default is 500"), shell.Line("sysctl -w vm.dirty_writeback_centisecs=500"))
	}
	if n, ok := ofHost(v, "vm.dirty_expire_centisecs"); ok && float64(n)/100 >= longExpire.Value {
		at(rule.T("vm.dirty_expire_centisecs is %d: data may stay unwritten for %v; the default is 3000", n, unit.Seconds(float64(n)/100)), shell.Line("sysctl -w vm.dirty_expire_centisecs=3000"))
	}
	return list, true
}

// writtenLate says whether a finding shows what limits of dirty pages do: a disk that is
// busy with writing, or a sync that waits, while much waits to be written, or writers wait
// although next to nothing does.
func writtenLate(v *view.View, f *rule.Finding) bool {
	if d, ok := v.BlockDevice(f.Subject.Name); f.Rule == "disk/saturated" && ok && d.ReadBytes > d.WrittenBytes {
		return false
	}
	waits := int64(0)
	for _, m := range view.Rows[recording.MemorySample](v) {
		waits = max(waits, max(m.Dirty, 0)+max(m.Writeback, 0))
	}
	throttled := slices.ContainsFunc(v.Blocked(), func(b view.Blocked) bool { return strings.Contains(b.Where+b.Stack, "balance_dirty_pages") })
	return throttled || float64(waits) > usualBackground.Value*float64(memoryOf(v))
}

// swapOnDisk is the size of swap that is not compressed memory.
func swapOnDisk(v *view.View) (bytes int64) {
	keys, series := view.Group(view.Rows[recording.SwapSample](v), func(s recording.SwapSample) string { return s.Device })
	for _, k := range keys {
		if !strings.Contains(k, "zram") {
			bytes += series[k][len(series[k])-1].Size
		}
	}
	return bytes
}

func lookSwappiness(v *view.View) ([]Remark, bool) {
	n, ok := ofHost(v, "vm.swappiness")
	db, held := largestDatabase(v)
	swap := swapOnDisk(v)
	if !ok || held == 0 || swap == 0 || memoryOf(v) <= 0 {
		return nil, false
	}
	if n <= int64(swapPreference.Int()) || float64(held) < databaseShare.Value*float64(memoryOf(v)) {
		return nil, true
	}
	return found(Remark{Subject: db.Entity(), Words: rule.T("vm.swappiness is %d, and %s (%d) holds %v of %v: to keep page cache the kernel may swap it out to %v of swap", n, db.Comm, db.PID, unit.Bytes(held), unit.Bytes(memoryOf(v)), unit.Bytes(swap)),
		See: shell.Line("sysctl vm.swappiness; grep VmSwap /proc/%d/status", db.PID), Change: shell.Line("sysctl -w vm.swappiness=1"),
		Fits: func(f *rule.Finding) (explains, proves bool) {
			// With a low value page cache goes first, as long as there is some. Short is the
			// host, not a group that has a limit, whose cache is another.
			m, known := v.MemoryNow()
			return true, known && slices.ContainsFunc(f.Affects, v.HostEntity().Same) && db.Swap > 0 && m.Cached-max(m.Shmem, 0) >= db.Swap
		}})
}

func lookHugePages(v *view.View) (list []Remark, seen bool) {
	enabled, ok := v.Sysctl(0, "/sys/kernel/mm/transparent_hugepage/enabled")
	if !ok {
		return nil, false
	}
	defrag, _ := v.Sysctl(0, "/sys/kernel/mm/transparent_hugepage/defrag")
	see, change := shell.Line("cat /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/transparent_hugepage/defrag"), shell.Line("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")
	always := chosen(enabled) == "always"
	for _, p := range v.Processes() {
		if p.Gone || !snapshots(&p) {
			continue
		}
		seen = true
		if always && p.Full && !p.NoHugePages && v.KernelAtLeast(5, 0) {
			list = append(list, Remark{Subject: p.Entity(), Words: rule.T("transparent huge pages are on for all programs, and %s (%d) has not turned them off: while it writes a snapshot, each change copies 2 MiB", p.Comm, p.PID), See: see, Change: change,
				Fits: func(*rule.Finding) (explains, proves bool) { return chosen(defrag) == "always", false }})
		}
	}
	db, held := largestDatabase(v)
	if held == 0 || snapshots(&db) {
		return list, seen
	}
	if always && chosen(defrag) == "always" && !db.NoHugePages && float64(held) >= databaseShare.Value*float64(memoryOf(v)) {
		list = append(list, Remark{Subject: db.Entity(), Words: rule.T("transparent huge pages are on for all programs with defrag = always: %s (%d), which holds %v, waits while the kernel moves pages together", db.Comm, db.PID, unit.Bytes(held)), See: see,
			Change: shell.Line("echo madvise > /sys/kernel/mm/transparent_hugepage/defrag")})
	}
	return list, true
}

// mostPromised is the share of memory, in percent, that leaves some for the kernel.
const mostPromised = 90

func lookOvercommit(v *view.View) (list []Remark, seen bool) {
	mode, ok := ofHost(v, "vm.overcommit_memory")
	if !ok {
		return nil, false
	}
	see := shell.Line("sysctl vm.overcommit_memory vm.overcommit_ratio; grep Commit /proc/meminfo")
	if m, known := v.MemoryNow(); known && mode == 2 && m.CommitLimit > 0 && float64(m.Committed) >= commitShare.Value*float64(m.CommitLimit) {
		r := Remark{Subject: v.HostEntity(), Words: rule.T("vm.overcommit_memory is 2, and programs have asked for %v of %v: the kernel refuses more, however much is free", unit.Bytes(m.Committed), unit.Bytes(m.CommitLimit)), See: see}
		// 0: vm.overcommit_kbytes counts, which a ratio would end.
		if ratio, ok := ofHost(v, "vm.overcommit_ratio"); ok && ratio > 0 && ratio < mostPromised {
			r.Change = shell.Line("sysctl -w vm.overcommit_ratio=%d", mostPromised)
		}
		list = append(list, r)
	}
	for _, p := range v.Processes() {
		if mode == 0 && !p.Gone && snapshots(&p) && memoryOf(v) > 0 && float64(p.Anon) >= copyShare.Value*float64(memoryOf(v)) {
			list = append(list, Remark{Subject: p.Entity(), Words: rule.T("vm.overcommit_memory is 0, and %s (%d) holds %v of %v: the kernel may refuse the copy that it makes for a snapshot", p.Comm, p.PID, unit.Bytes(p.Anon), unit.Bytes(memoryOf(v))), See: see,
				Change: shell.Line("sysctl -w vm.overcommit_memory=1")})
		}
	}
	return list, true
}

func lookReserve(v *view.View) ([]Remark, bool) {
	kib, ok := ofHost(v, "vm.min_free_kbytes")
	memory := float64(memoryOf(v))
	if !ok || memory < 1<<30 {
		return nil, false
	}
	reserve := float64(kib) * 1024
	words := rule.T("vm.min_free_kbytes keeps %v of %v free for the kernel alone", unit.Bytes(reserve), unit.Bytes(memory))
	fits := only("mem/oom-kill", "mem/reclaim", "mem/swapping")
	switch {
	case reserve > reserveShare.Value*memory:
	case reserve < smallReserve.Value:
		fits = only("mem/fragmentation")
		words = rule.T("vm.min_free_kbytes keeps only %v free: in a burst the kernel finds no memory for packets", unit.Bytes(reserve))
	default:
		return nil, true
	}
	return found(Remark{Subject: v.HostEntity(), Words: words, See: shell.Line("sysctl vm.min_free_kbytes"),
		Change: shell.Line("sysctl -w vm.min_free_kbytes=%.0f", math.Min(memory/100, 256<<20)/1024), Fits: fits})
}

// nodeMemory is the memory of each NUMA node in bytes.
func nodeMemory(v *view.View) map[int32]int64 {
	type key struct {
		node int32
		zone string
	}
	keys, series := view.Group(view.Rows[recording.ZoneSample](v), func(s recording.ZoneSample) key { return key{s.Node, s.Zone} })
	nodes := map[int32]int64{}
	for _, k := range keys {
		nodes[k.node] += series[k][len(series[k])-1].Managed * int64(v.PageSize())
	}
	return nodes
}

func lookBalancing(v *view.View) ([]Remark, bool) {
	on, ok := ofHost(v, "kernel.numa_balancing")
	nodes := nodeMemory(v)
	db, held := largestDatabase(v)
	if !ok || len(nodes) < 2 || held == 0 {
		return nil, false
	}
	var largest int64
	for _, n := range nodes {
		largest = max(largest, n)
	}
	if on == 0 || held <= largest {
		return nil, true
	}
	return found(Remark{Subject: db.Entity(), Words: rule.T("kernel.numa_balancing is on, and %s (%d) holds %v, more than the %v of a NUMA node: the kernel moves its pages to and fro", db.Comm, db.PID, unit.Bytes(held), unit.Bytes(largest)),
		See: shell.Line("sysctl kernel.numa_balancing; numastat -p %d", db.PID), Change: shell.Line("sysctl -w kernel.numa_balancing=0")})
}
