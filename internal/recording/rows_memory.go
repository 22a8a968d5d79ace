package recording

import "time"

// MemorySample holds the gauges of /proc/meminfo, in bytes. Fields the running
// kernel does not print are -1.
type MemorySample struct {
	At           time.Time `parquet:"at,timestamp(nanosecond)"`
	Total        int64     `parquet:"total_bytes"`
	Free         int64     `parquet:"free_bytes"`
	Available    int64     `parquet:"available_bytes"`
	Buffers      int64     `parquet:"buffers_bytes"`
	Cached       int64     `parquet:"cached_bytes"` // includes Shmem
	Active       int64     `parquet:"active_bytes"`
	Anon         int64     `parquet:"anon_bytes"` // AnonPages
	Shmem        int64     `parquet:"shmem_bytes"`
	Dirty        int64     `parquet:"dirty_bytes"`
	Writeback    int64     `parquet:"writeback_bytes"`
	SReclaimable int64     `parquet:"s_reclaimable_bytes"`
	SUnreclaim   int64     `parquet:"s_unreclaim_bytes"`
	PageTables   int64     `parquet:"page_tables_bytes"`
	Committed    int64     `parquet:"committed_bytes"` // Committed_AS
	CommitLimit  int64     `parquet:"commit_limit_bytes"`
	SwapTotal    int64     `parquet:"swap_total_bytes"`
	SwapFree     int64     `parquet:"swap_free_bytes"`
	HugeTotal    int64     `parquet:"huge_total_bytes"` // hugetlb pages reserved, in bytes
	// Errors of all memory controllers (EDAC), read now and then; Unknown in between and without a driver.
	Corrected   int64 `parquet:"errors_corrected"`
	Uncorrected int64 `parquet:"errors_uncorrected"`
}

// VMStatSample holds counters of /proc/vmstat since boot, in pages or events
// as the kernel counts them. Counters that the kernel splits by zone or by
// source (allocstall_*, pgscan_direct, pgscan_kswapd...) are summed here only
// where the field says so. A counter the kernel does not have is 0; the set of
// names it does have is the business of the probe's Unseen rows.
type VMStatSample struct {
	At            time.Time `parquet:"at,timestamp(nanosecond)"`
	PageIn        uint64    `parquet:"pgpgin"`  // KiB read from block devices
	PageOut       uint64    `parquet:"pgpgout"` // KiB written to block devices
	SwapIn        uint64    `parquet:"pswpin"`  // pages
	SwapOut       uint64    `parquet:"pswpout"` // pages
	Faults        uint64    `parquet:"pgfault"` // includes major ones
	MajorFaults   uint64    `parquet:"pgmajfault"`
	AllocStalls   uint64    `parquet:"allocstall"` // direct reclaims entered, all zones
	ScanKswapd    uint64    `parquet:"pgscan_kswapd"`
	RefaultFile   uint64    `parquet:"workingset_refault_file"` // kernels before 5.9 count all refaults here
	OOMKills      uint64    `parquet:"oom_kill"`
	HugePageFails uint64    `parquet:"htlb_buddy_alloc_fail"`
	DropPageCache uint64    `parquet:"drop_pagecache"`
	DropSlab      uint64    `parquet:"drop_slab"`
	CompactStalls uint64    `parquet:"compact_stall"`
	NUMAMiss      uint64    `parquet:"numa_miss"`
	Dirtied       uint64    `parquet:"nr_dirtied"` // pages dirtied
	Written       uint64    `parquet:"nr_written"` // pages written back
}

// SwapSample is one swap area, from /proc/swaps, in bytes.
type SwapSample struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	Device string    `parquet:"device,dict"`
	Kind   string    `parquet:"kind,dict"` // partition or file
	Size   int64     `parquet:"size_bytes"`
	Used   int64     `parquet:"used_bytes"`
}

// ZoneSample holds one zone's pages, from /proc/zoneinfo, in pages. Reclaim by
// kswapd, once it has begun, stops over High.
type ZoneSample struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"`
	Node    int32     `parquet:"node"`
	Zone    string    `parquet:"zone,dict"`
	Free    int64     `parquet:"free_pages"`
	High    int64     `parquet:"high_pages"`
	Managed int64     `parquet:"managed_pages"`
}

func (MemorySample) Table() Table { return Memory }
func (VMStatSample) Table() Table { return VMStat }
func (SwapSample) Table() Table   { return Swaps }
func (ZoneSample) Table() Table   { return Zones }
