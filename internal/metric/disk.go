package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

var (
	DiskQueue = add(Metric{ID: "disk.queue",
		Labels: []string{"device"}, Series: rate(device, func(s recording.DiskSample) float64 { return seconds(s.WeightedQueue) }),
		Counter: true, Name: "requests in flight",
		Help: "average number of requests that the device has accepted and not completed, queued or in service",
		Unit: "requests", Source: "/proc/diskstats field 11 (weighted time) / elapsed time",
		Tools:   []string{"iostat -dx 1   # aqu-sz", "sar -d 1"},
		Traps:   []string{"requests that a cgroup limit holds back are not included", "a parallel device needs a queue to be fast: 32 on NVMe is fine by itself"},
		Healthy: "under 1 on a spinning disk; on flash, as long as requests take only a few milliseconds"})
	DiskAwait = add(Metric{ID: "disk.await",
		Labels: []string{"device"}, Series: ratio(device, func(s recording.DiskSample) float64 { return seconds(s.ReadTime) + seconds(s.WriteTime) }, func(s recording.DiskSample) float64 { return float64(s.Reads + s.Writes) }),
		Counter: true, Name: "time per request",
		Help: "average time from issue to completion of a request, queueing included, over reads and writes",
		Unit: "seconds", Source: "/proc/diskstats: (read time + write time) / (reads + writes)",
		Tools:   []string{"iostat -dx 1   # r_await, w_await"},
		Traps:   []string{"with a fixed number in flight it only restates the request rate (Little's law)", "many fast reads hide a few slow syncs", "never add r_await and w_await"},
		Healthy: "flash under 3 ms, spinning disks under 15 ms"})
	DiskUtilisation = add(Metric{ID: "disk.utilisation",
		Labels: []string{"device"}, Series: rate(device, func(s recording.DiskSample) float64 { return seconds(s.Busy) }),
		Counter: true, Name: "time busy",
		Help: "share of the time in which at least one request was in flight",
		Unit: "share", Source: "/proc/diskstats field 10 / elapsed time",
		Tools:   []string{"iostat -dx 1   # %util"},
		Traps:   []string{"100 % is not saturation: flash, arrays and cloud volumes serve many requests at once", "a low value is no proof of health: small syncs can slow a program down on an idle disk"},
		Healthy: "any value, as long as nothing waits"})
	DiskRequestSize = add(Metric{ID: "disk.request-size", Name: "request size",
		Help: "average bytes per read or write, as the device gets them after merging",
		Unit: "bytes", Source: "/proc/diskstats: sectors x 512 / requests",
		Tools: []string{"iostat -dx 1   # rareq-sz, wareq-sz"}, Traps: []string{"the average of two kinds of load describes neither"},
		Healthy: "4 to 16 KiB for databases, 128 KiB and more for streams"})
	DiskOfBaseline = add(Metric{ID: "disk.of-baseline", Course: DiskUtilisation, Name: "share of what a disk could do",
		Help: "requests or bytes per second, whichever is nearer to its limit, as a share of what the disk did when rtrail bench baseline measured it",
		Unit: "share", Source: "/proc/diskstats, and /var/lib/rtrail/baseline.json",
		Tools: []string{"rtrail bench baseline --disk FOLDER", "fio"}, Traps: []string{"requests of other sizes, and mixes of reads and writes, have limits of their own"},
		Healthy: "below 80 %"})
	DiskQueueTime = add(Metric{ID: "disk.queue-time", Course: DiskAwait, Name: "time of a request in the queue",
		Help: "mean time from when a request was made until the device got it; the rest of its time is the device's",
		Unit: "seconds", Source: "BPF programs at block_io_start, block_rq_issue and block_io_done, before Linux 6.5 block_rq_insert, block_rq_issue and block_rq_complete",
		Tools: []string{"rtrail trace block", "biolatency -Q   # of bcc"}, Traps: []string{"a device that queues inside, as NVMe does, takes its requests at once"},
		Healthy: "far below the time in the device"})
	SyncWait = add(Metric{ID: "sync.wait",
		Labels: []string{"pid", "comm", "path"}, Series: total(syncer, syncID, func(s recording.SyncSum) float64 { return traced(s.Time.Seconds(), s.Span, s.Traced) }),
		Name: "threads waiting for syncs",
		Help: "mean number of threads of a process that are in fsync, fdatasync or a call like them: seconds waited per second",
		Unit: "threads", Source: "BPF programs at ext4_sync_file_enter and _exit, or sys_enter and sys_exit",
		Tools:   []string{"rtrail trace sync", "fsyncsnoop   # of perf-tools and bcc"},
		Traps:   []string{"threads in the background wait, too, and nobody waits for them", "by default only syncs of ext4 are seen"},
		Healthy: "near 0, unless the program's work is to write"})
	SyncTime = add(Metric{ID: "sync.time", Course: SyncWait, Name: "time of a sync",
		Help: "mean time of one fsync, fdatasync or call like them, of one process and file",
		Unit: "seconds", Source: "BPF programs at ext4_sync_file_enter and _exit, or sys_enter and sys_exit",
		Tools:   []string{"rtrail trace sync", "strace -f -T -e trace=fsync,fdatasync -p PID"},
		Traps:   []string{"strace slows the program down", "a sync also writes what others wrote to the journal of the filesystem"},
		Healthy: "under 1 ms on flash with power loss protection"})
	Syncs = add(Metric{ID: "sync.calls",
		Labels: []string{"pid", "comm", "path"}, Series: total(syncer, syncID, func(s recording.SyncSum) float64 { return traced(float64(s.Calls), s.Span, s.Traced) }),
		Name: "syncs of a file",
		Help: "calls of fsync, fdatasync and those like them by one process for one file",
		Unit: "per second", Source: "BPF programs at ext4_sync_file_enter and _exit, or sys_enter and sys_exit",
		Tools: []string{"rtrail trace sync"}})
	FileWritten = add(Metric{ID: "file.written", Course: ProcessIOBytes, Name: "bytes written to a file",
		Help: "how far the positions of a process in one file went forward: bytes that it wrote there, one after the other",
		Unit: "bytes per second", Source: "/proc/PID/fdinfo of the processes that move most data while a disk is busy; with --events all BPF programs at sys_exit",
		Tools: []string{"rtrail trace files", "filetop   # of bcc", "lsof -p PID -o"},
		Traps: []string{"writes go to the page cache first: what the disk gets comes later, or never if the file is deleted", "calls that name their own position (pwrite64) move none"}})
	FileIO = add(Metric{ID: "file.io", Course: ProcessIOBytes, Name: "bytes read from and written to a file",
		Help: "what one process reads from and writes to one file by system calls: counted call by call, else by how far positions went forward",
		Unit: "bytes per second", Source: "/proc/PID/fdinfo of the processes that move most data; with --events all BPF programs at sys_exit",
		Tools: []string{"rtrail trace files", "filetop   # of bcc"},
		Traps: []string{"what the page cache has is read without the disk", "without --events all, calls that name their own position (pread64, pwrite64) are not counted; threads that wait in them are seen"}})
	FileGrowth = add(Metric{ID: "file.growth", Course: FilesystemAvailable, Name: "growth of a file",
		Help: "bytes by which a file that a process has open for writing becomes larger", Unit: "bytes per second",
		Source: "size of the open file, read while its process moves much data; with --events all bytes written by BPF programs at sys_exit",
		Tools:  []string{"lsof -p PID", "ls -l"}})
	FileHeld = add(Metric{ID: "file.held", Name: "deleted file that is still open",
		Help: "size of a file without a name, whose space is free when the last process closes it", Unit: "bytes",
		Source: "/proc/PID/fd of the processes that move most data", Tools: []string{"lsof +L1"},
		Traps: []string{"a sparse file takes less than its size", "another name of the file, in another directory, keeps its space"}})
	PressureIO = add(Metric{ID: "pressure.io",
		Series:  stalled("io"),
		Counter: true, Name: "I/O pressure",
		Help: "share of the time in which at least one task was stalled on I/O",
		Unit: "share", Source: "/proc/pressure/io, growth of some total",
		Tools: []string{"cat /proc/pressure/io", "atop", "below live"}, Check: shell.Line("cat /proc/pressure/io"),
		Traps:   []string{"one task that copies a file is enough for 100 %", "waits for asynchronous I/O are not counted"},
		Healthy: "near 0 on hosts that serve requests"})
	ProcessDiskWait = add(Metric{ID: "process.disk-wait", Course: ProcessIOBytes, Name: "threads waiting for disk",
		Help: "average number of threads of a program that wait for block I/O",
		Unit: "threads", Source: "samples of /proc/PID/task/TID/{stat,wchan,stack,syscall}; without them taskstats blkio_delay_total",
		Tools:   []string{"ps -L -o tid,stat,wchan:30,comm -p PID", "pidstat -d 1   # iodelay", "iotop"},
		Traps:   []string{"the one that waits most is often a victim: jbd2, a flusher", "delay accounting is off by default since Linux 5.14 (kernel.task_delayacct)"},
		Healthy: "well under one thread"})
	ProcessIOBytes = add(Metric{ID: "process.io-bytes",
		Labels: []string{"pid", "comm"}, Series: rate(process, ioOf),
		Counter: true, Name: "bytes read and written by a process",
		Help: "bytes a process reads from storage, and bytes of pages it dirties, per second",
		Unit: "bytes per second", Source: "/proc/PID/io read_bytes, write_bytes",
		Tools: []string{"pidstat -d 1", "iotop"},
		Traps: []string{"writes count when a page is dirtied: they can exceed disk writes, come earlier, or never reach the disk", "not per device or filesystem", "readable only by the owner and root"}})
	ProcessCancelled = add(Metric{ID: "process.cancelled-bytes", Counter: true, Name: "written bytes that a process threw away",
		Help: "bytes of pages that were dirty when the process deleted or truncated their file: no disk ever gets them",
		Unit: "bytes per second", Source: "/proc/PID/io cancelled_write_bytes",
		Tools: []string{"pidstat -d 1   # kB_ccwr/s"},
		Traps: []string{"whole pages: a file of 100 bytes counts 4 KiB", "counted for the process that deletes, not the one that wrote", "files that live for longer than vm.dirty_expire_centisecs (30 seconds) reach the disk first, sooner when there is much to write"}})
	FileChurn = add(Metric{ID: "file.churn",
		Labels: []string{"pid", "comm"}, Series: total(fileUser, fileID, func(s recording.FileSum) float64 { return traced(float64(s.Created), s.Span, s.Traced) }),
		Name: "files made and deleted again",
		Help: "files that one process creates per second, where it deletes as many", Unit: "per second", Source: "BPF programs at sys_exit, with --events all",
		Tools: []string{"rtrail trace files", "opensnoop   # of bcc"}})
	ProcessWriteCalls = add(Metric{ID: "process.write-calls",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return reading(s.WriteCalls) }),
		Counter: true, Name: "write calls",
		Help: "write, pwrite, writev and similar calls per second, failed ones included",
		Unit: "per second", Source: "/proc/PID/io syscw, beside wchar",
		Tools: []string{"strace -c -f -p PID", "cat /proc/PID/io"},
		Traps: []string{"calls that move no bytes also come from non-blocking sockets (EAGAIN)", "asynchronous I/O and mmap are not counted"}})
	DiskTimeouts = add(Metric{ID: "disk.timeouts",
		Labels: []string{"device"}, Series: growth(device, func(s recording.DiskSample) float64 { return reading(s.Timeouts) }),
		Counter: true, Name: "timeouts of a disk",
		Help: "commands that a disk did not answer in time (30 s by default), so that the kernel took them back and sent them again", Unit: "count",
		Source: "/sys/block/DISK/device/iotmo_cnt: disks of the SCSI layer, Linux 6.2 and later", Tools: []string{"cat /sys/block/sda/device/iotmo_cnt", "journalctl -k -g timeout"},
		Traps: []string{"NVMe and virtio disks have no such counter: the kernel log tells"}, Healthy: "0"})
	CgroupIOLimit = add(Metric{ID: "cgroup.io-limit", Counter: true, Name: "rate against the I/O limit of a control group",
		Help: "bytes or operations per second of a cgroup, against its limit on a device",
		Unit: "per second", Source: "io.stat and io.max (v2); blkio.throttle.io_service_bytes, io_serviced and *_device (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/io.max", "systemd-cgtop"},
		Traps: []string{"the device looks idle: throttled requests have not reached it", "v1 does not throttle buffered writes", "the rate is summed over devices"}})
	FilesystemAvailable = add(Metric{ID: "filesystem.available",
		Labels: []string{"mount_point"}, Series: gauge(filesystem, func(s recording.MountSample) float64 { return reading(s.Available) }),
		Name: "space available",
		Help: "bytes that ordinary users can still allocate",
		Unit: "bytes", Source: "statfs f_bavail x f_frsize",
		Tools: []string{"df -B1"},
		Traps: []string{"root has more: ext4 reserves 5 %", "deleted files that are still open use space", "quotas are not included"}})
	FilesystemGrowth = add(Metric{ID: "filesystem.growth", Course: FilesystemAvailable, Name: "growth of a filesystem",
		Help: "bytes used up per second, over the window", Unit: "bytes per second", Source: "difference of statfs f_bavail",
		Tools: []string{"watch -d df"}, Traps: []string{"what grows for seconds is often deleted within minutes"}})
	FilesystemInodesFree = add(Metric{ID: "filesystem.inodes-free",
		Labels: []string{"mount_point"}, Series: gauge(filesystem, func(s recording.MountSample) float64 { return reading(s.InodesFree) }),
		Name: "free inodes",
		Help: "files, directories and links that can still be created",
		Unit: "count", Source: "statfs f_ffree", Tools: []string{"df -i"},
		Traps: []string{"XFS and Btrfs allocate inodes from free space: none are left when the space is gone"}})
	FilesystemInodeGrowth = add(Metric{ID: "filesystem.inode-growth", Course: FilesystemInodesFree, Name: "growth in files",
		Help: "inodes used up per second, over the window", Unit: "per second", Source: "difference of statfs f_ffree", Tools: []string{"watch -d df -i"}})
)
