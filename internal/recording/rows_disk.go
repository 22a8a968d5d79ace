package recording

import "time"

// DiskSample holds the counters of one block device since boot, from
// /proc/diskstats (kernel Documentation/admin-guide/iostats.rst).
type DiskSample struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	Device        string        `parquet:"device,dict" cbor:"device"` // kernel name, as vda or loop0
	Major         int32         `parquet:"major" cbor:"major"`
	Minor         int32         `parquet:"minor" cbor:"minor"`
	Partition     bool          `parquet:"partition" cbor:"partition"`
	Backing       string        `parquet:"backing,dict" cbor:"backing"` // loop: the backing file; device mapper: the mapped name
	Reads         uint64        `parquet:"reads" cbor:"reads"`          // completed
	ReadsMerged   uint64        `parquet:"reads_merged" cbor:"reads_merged"`
	ReadBytes     uint64        `parquet:"read_bytes" cbor:"read_bytes"`
	ReadTime      time.Duration `parquet:"read_time" cbor:"read_time"` // summed over requests
	Writes        uint64        `parquet:"writes" cbor:"writes"`
	WritesMerged  uint64        `parquet:"writes_merged" cbor:"writes_merged"`
	WrittenBytes  uint64        `parquet:"written_bytes" cbor:"written_bytes"`
	WriteTime     time.Duration `parquet:"write_time" cbor:"write_time"`
	Discards      uint64        `parquet:"discards" cbor:"discards"`
	DiscardTime   time.Duration `parquet:"discard_time" cbor:"discard_time"`
	Flushes       uint64        `parquet:"flushes" cbor:"flushes"`
	FlushTime     time.Duration `parquet:"flush_time" cbor:"flush_time"`
	InFlight      int64         `parquet:"in_flight" cbor:"in_flight"` // right now
	Busy          time.Duration `parquet:"busy" cbor:"busy"`           // time with at least one request in flight
	WeightedQueue time.Duration `parquet:"weighted_queue" cbor:"weighted_queue"`
	Rotational    bool          `parquet:"rotational" cbor:"rotational"`
	QueueRequests int64         `parquet:"queue_requests" cbor:"queue_requests"` // queue/nr_requests
	Scheduler     string        `parquet:"scheduler,dict" cbor:"scheduler"`
	SizeBytes     int64         `parquet:"size_bytes" cbor:"size_bytes"`
	Swap          bool          `parquet:"swap" cbor:"swap"` // a swap area lives on it
}

// MountSample is one mounted filesystem with its space and inodes, from
// /proc/self/mountinfo and statfs. Sizes are in bytes. Pseudo filesystems and
// network filesystems that do not answer in time have no row.
type MountSample struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	MountPoint string    `parquet:"mount_point,dict" cbor:"mount_point"`
	Device     string    `parquet:"device,dict" cbor:"device"`
	Major      int32     `parquet:"major" cbor:"major"`
	Minor      int32     `parquet:"minor" cbor:"minor"`
	FSType     string    `parquet:"fs_type,dict" cbor:"fs_type"`
	ReadOnly   bool      `parquet:"read_only" cbor:"read_only"`
	Size       int64     `parquet:"size" cbor:"size"`
	Free       int64     `parquet:"free" cbor:"free"`           // for root
	Available  int64     `parquet:"available" cbor:"available"` // for everybody else
	Inodes     int64     `parquet:"inodes" cbor:"inodes"`       // 0: the filesystem has no fixed number
	InodesFree int64     `parquet:"inodes_free" cbor:"inodes_free"`
	MountNS    uint64    `parquet:"mount_ns" cbor:"mount_ns"` // mount namespace in which it was seen
	PID        int32     `parquet:"pid" cbor:"pid"`           // a process of that namespace, 0 for rtrail's own
}

func (DiskSample) Table() Table  { return Disks }
func (MountSample) Table() Table { return Mounts }

func (s DiskSample) Time() time.Time  { return s.At }
func (s MountSample) Time() time.Time { return s.At }
