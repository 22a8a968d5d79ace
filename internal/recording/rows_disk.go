package recording

import "time"

// DiskSample holds the counters of one block device since boot, from
// /proc/diskstats (kernel Documentation/admin-guide/iostats.rst).
type DiskSample struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)"`
	Device        string        `parquet:"device,dict"` // kernel name, as vda or loop0
	Major         int32         `parquet:"major"`
	Minor         int32         `parquet:"minor"`
	Partition     bool          `parquet:"partition"`
	Backing       string        `parquet:"backing,dict"` // loop: the backing file; device mapper: the mapped name
	Slaves        string        `parquet:"slaves,dict"`  // what a device of device mapper or md is made of, as sda2,sdb: disks, partitions and other such devices
	Reads         uint64        `parquet:"reads"`        // completed
	ReadBytes     uint64        `parquet:"read_bytes"`
	ReadTime      time.Duration `parquet:"read_time_ns"` // summed over requests
	Writes        uint64        `parquet:"writes"`
	WrittenBytes  uint64        `parquet:"written_bytes"`
	WriteTime     time.Duration `parquet:"write_time_ns"`
	Flushes       uint64        `parquet:"flushes"`
	FlushTime     time.Duration `parquet:"flush_time_ns"`
	InFlight      int64         `parquet:"in_flight"` // right now
	Busy          time.Duration `parquet:"busy_ns"`   // time with at least one request in flight
	WeightedQueue time.Duration `parquet:"weighted_queue_ns"`
	Rotational    bool          `parquet:"rotational"`
	Scheduler     string        `parquet:"scheduler,dict"`
	Swap          bool          `parquet:"swap"`        // a swap area lives on it
	Errors        int64         `parquet:"io_errors"`   // commands that ended with an error; disks of the SCSI layer only, else Unknown
	Timeouts      int64         `parquet:"io_timeouts"` // commands that did not end in time; the same, newer kernels only
}

// MountSample is one mounted filesystem with its space and inodes, from
// /proc/self/mountinfo and statfs. Sizes are in bytes. Pseudo filesystems and
// network filesystems that do not answer in time have no row.
type MountSample struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)"`
	MountPoint string    `parquet:"mount_point,dict"`
	Device     string    `parquet:"device,dict"`
	Major      int32     `parquet:"major"`
	Minor      int32     `parquet:"minor"`
	FSType     string    `parquet:"fs_type,dict"`
	ReadOnly   bool      `parquet:"read_only"`
	Size       int64     `parquet:"size_bytes"`
	Free       int64     `parquet:"free_bytes"`      // for root
	Available  int64     `parquet:"available_bytes"` // for everybody else
	Inodes     int64     `parquet:"inodes"`          // 0: the filesystem has no fixed number
	InodesFree int64     `parquet:"inodes_free"`
	MountNS    uint64    `parquet:"mount_ns"` // mount namespace in which it was seen
	PID        int32     `parquet:"pid"`      // a process of that namespace, 0 for rtrail's own
}

// OpenFile is one open file of a process that moved much data while a disk was busy, or
// that wrote much.
// A file has a row at the first two looks and whenever it changed, and of a process with few
// files every few seconds.
type OpenFile struct {
	At       time.Time `parquet:"at,timestamp(nanosecond)"`
	PID      int32     `parquet:"pid"`
	Started  time.Time `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process  string    `parquet:"process,dict"`
	FD       int32     `parquet:"fd"`
	Path     string    `parquet:"path,dict"`   // as the link in /proc/PID/fd has it
	Device   string    `parquet:"device,dict"` // number of the filesystem, of a block device its own: "8:1"
	Inode    uint64    `parquet:"inode"`
	Position int64     `parquet:"position"` // where the next read or write begins, bytes; calls that name their own position do not move it
	Size     int64     `parquet:"size"`     // bytes, as the kernel last knew it
	Flags    uint32    `parquet:"flags"`    // of open(2), as this architecture numbers them
	Whole    bool      `parquet:"whole"`    // at this look each regular file and block device that the process had open has a row
}

// BaselineValue is what a part of the host could do when it was measured, by rtrail bench
// baseline; internal/baseline lists kinds and what is measured.
type BaselineValue struct {
	At       time.Time `parquet:"at,timestamp(nanosecond)"`
	Measured time.Time `parquet:"measured,timestamp(nanosecond)"`
	Kind     string    `parquet:"kind,dict"`  // disk, cpu, memory, network, http
	Thing    string    `parquet:"thing,dict"` // the device, the peer; "": the host
	What     string    `parquet:"what,dict"`  // with the unit: random_reads_per_second
	Value    float64   `parquet:"value"`      // in the unit that what names
}

func (DiskSample) Table() Table    { return Disks }
func (BaselineValue) Table() Table { return Baselines }
func (MountSample) Table() Table   { return Mounts }
func (OpenFile) Table() Table      { return OpenFiles }
