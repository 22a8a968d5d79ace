package recording

import "time"

// MemorySample holds the gauges of /proc/meminfo, in bytes. Fields the running
// kernel does not print are -1.
type MemorySample struct {
	At           time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	Total        int64     `parquet:"total" cbor:"total"`
	Free         int64     `parquet:"free" cbor:"free"`
	Available    int64     `parquet:"available" cbor:"available"`
	Buffers      int64     `parquet:"buffers" cbor:"buffers"`
	Cached       int64     `parquet:"cached" cbor:"cached"` // includes Shmem
	SwapCached   int64     `parquet:"swap_cached" cbor:"swap_cached"`
	Active       int64     `parquet:"active" cbor:"active"`
	Inactive     int64     `parquet:"inactive" cbor:"inactive"`
	Anon         int64     `parquet:"anon" cbor:"anon"` // AnonPages
	Mapped       int64     `parquet:"mapped" cbor:"mapped"`
	Shmem        int64     `parquet:"shmem" cbor:"shmem"`
	Dirty        int64     `parquet:"dirty" cbor:"dirty"`
	Writeback    int64     `parquet:"writeback" cbor:"writeback"`
	SReclaimable int64     `parquet:"s_reclaimable" cbor:"s_reclaimable"`
	SUnreclaim   int64     `parquet:"s_unreclaim" cbor:"s_unreclaim"`
	PageTables   int64     `parquet:"page_tables" cbor:"page_tables"`
	Committed    int64     `parquet:"committed" cbor:"committed"` // Committed_AS
	CommitLimit  int64     `parquet:"commit_limit" cbor:"commit_limit"`
	SwapTotal    int64     `parquet:"swap_total" cbor:"swap_total"`
	SwapFree     int64     `parquet:"swap_free" cbor:"swap_free"`
	HugeTotal    int64     `parquet:"huge_total" cbor:"huge_total"` // hugetlb pages reserved, in bytes
}

// VMStatSample holds counters of /proc/vmstat since boot, in pages or events
// as the kernel counts them. Counters that the kernel splits by zone or by
// source (allocstall_*, pgscan_direct, pgscan_kswapd...) are summed here only
// where the field says so. A counter the kernel does not have is 0; the set of
// names it does have is the business of the probe's Unseen rows.
type VMStatSample struct {
	At            time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	PageIn        uint64    `parquet:"pgpgin" cbor:"pgpgin"`   // KiB read from block devices
	PageOut       uint64    `parquet:"pgpgout" cbor:"pgpgout"` // KiB written to block devices
	SwapIn        uint64    `parquet:"pswpin" cbor:"pswpin"`   // pages
	SwapOut       uint64    `parquet:"pswpout" cbor:"pswpout"` // pages
	Faults        uint64    `parquet:"pgfault" cbor:"pgfault"` // includes major ones
	MajorFaults   uint64    `parquet:"pgmajfault" cbor:"pgmajfault"`
	AllocStalls   uint64    `parquet:"allocstall" cbor:"allocstall"` // direct reclaims entered, all zones
	ScanKswapd    uint64    `parquet:"pgscan_kswapd" cbor:"pgscan_kswapd"`
	ScanDirect    uint64    `parquet:"pgscan_direct" cbor:"pgscan_direct"`
	StealKswapd   uint64    `parquet:"pgsteal_kswapd" cbor:"pgsteal_kswapd"`
	StealDirect   uint64    `parquet:"pgsteal_direct" cbor:"pgsteal_direct"`
	RefaultAnon   uint64    `parquet:"workingset_refault_anon" cbor:"workingset_refault_anon"`
	RefaultFile   uint64    `parquet:"workingset_refault_file" cbor:"workingset_refault_file"` // kernels before 5.9 count all refaults here
	OOMKills      uint64    `parquet:"oom_kill" cbor:"oom_kill"`
	HugePageFails uint64    `parquet:"htlb_buddy_alloc_fail" cbor:"htlb_buddy_alloc_fail"`
	DropPageCache uint64    `parquet:"drop_pagecache" cbor:"drop_pagecache"`
	DropSlab      uint64    `parquet:"drop_slab" cbor:"drop_slab"`
	CompactStalls uint64    `parquet:"compact_stall" cbor:"compact_stall"`
	NUMAMiss      uint64    `parquet:"numa_miss" cbor:"numa_miss"`
	Dirtied       uint64    `parquet:"nr_dirtied" cbor:"nr_dirtied"` // pages dirtied
	Written       uint64    `parquet:"nr_written" cbor:"nr_written"` // pages written back
}

// SwapSample is one swap area, from /proc/swaps, in bytes.
type SwapSample struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	Device string    `parquet:"device,dict" cbor:"device"`
	Kind   string    `parquet:"kind,dict" cbor:"kind"` // partition or file
	Size   int64     `parquet:"size" cbor:"size"`
	Used   int64     `parquet:"used" cbor:"used"`
	Prio   int32     `parquet:"prio" cbor:"prio"`
}

// ZoneSample holds one zone's pages and watermarks, from /proc/zoneinfo, in
// pages. Reclaim by kswapd starts under Low and stops over High; under Min
// allocations reclaim by themselves.
type ZoneSample struct {
	At           time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	Node         int32     `parquet:"node" cbor:"node"`
	Zone         string    `parquet:"zone,dict" cbor:"zone"`
	Free         int64     `parquet:"free" cbor:"free"`
	Min          int64     `parquet:"min" cbor:"min"`
	Low          int64     `parquet:"low" cbor:"low"`
	High         int64     `parquet:"high" cbor:"high"`
	Managed      int64     `parquet:"managed" cbor:"managed"`
	ActiveAnon   int64     `parquet:"active_anon" cbor:"active_anon"`
	InactiveAnon int64     `parquet:"inactive_anon" cbor:"inactive_anon"`
	ActiveFile   int64     `parquet:"active_file" cbor:"active_file"`
	InactiveFile int64     `parquet:"inactive_file" cbor:"inactive_file"`
}

// SlabSample is one kernel object cache, from /proc/slabinfo (root only).
type SlabSample struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	Name       string    `parquet:"name,dict" cbor:"name"`
	Active     int64     `parquet:"active" cbor:"active"`   // objects in use
	Objects    int64     `parquet:"objects" cbor:"objects"` // objects allocated
	ObjectSize int64     `parquet:"object_size" cbor:"object_size"`
}

func (MemorySample) Table() Table { return Memory }
func (VMStatSample) Table() Table { return VMStat }
func (SwapSample) Table() Table   { return Swaps }
func (ZoneSample) Table() Table   { return Zones }
func (SlabSample) Table() Table   { return Slabs }

func (s MemorySample) Time() time.Time { return s.At }
func (s VMStatSample) Time() time.Time { return s.At }
func (s SwapSample) Time() time.Time   { return s.At }
func (s ZoneSample) Time() time.Time   { return s.At }
func (s SlabSample) Time() time.Time   { return s.At }
