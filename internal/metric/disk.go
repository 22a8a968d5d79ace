package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

var (
	DiskQueue = add(Metric{ID: "disk.queue",
		Labels: []string{"device"}, Series: rate(device, func(s recording.DiskSample) float64 { return seconds(s.WeightedQueue) }),
		Counter: true, Name: "requests in flight",
		Help: "mean number of requests that a block device had accepted and not finished, waiting or being served",
		Unit: "requests", Source: "/proc/diskstats field 11 (weighted time) / elapsed time",
		Tools:   []string{"iostat -dx 1   # aqu-sz", "sar -d 1"},
		Traps:   []string{"requests that a cgroup limit holds back are not in it yet", "a device that serves many at once needs a queue to be fast: 32 on NVMe is no fault by itself"},
		Healthy: "under 1 on a spindle; on flash as much as keeps the answer under a few milliseconds"})
	DiskAwait = add(Metric{ID: "disk.await", Counter: true, Name: "time per request",
		Help: "mean time from issuing a request to its completion, queueing included, weighted over reads and writes",
		Unit: "seconds", Source: "/proc/diskstats: (read time + write time) / (reads + writes)",
		Tools:   []string{"iostat -dx 1   # r_await, w_await"},
		Traps:   []string{"at a fixed number in flight it only restates requests per second (Little's law)", "a few slow syncs vanish among many fast reads", "never add r_await and w_await"},
		Healthy: "flash under 3 ms, spindles under 15 ms"})
	DiskUtilisation = add(Metric{ID: "disk.utilisation",
		Labels: []string{"device"}, Series: rate(device, func(s recording.DiskSample) float64 { return seconds(s.Busy) }),
		Counter: true, Name: "time busy",
		Help: "share of the time in which at least one request was in flight",
		Unit: "share", Source: "/proc/diskstats field 10 / elapsed time",
		Tools:   []string{"iostat -dx 1   # %util"},
		Traps:   []string{"100 % is not saturation: flash, arrays and volumes serve many requests at once", "0 % is not health: small syncs can hold a program up on an idle disk"},
		Healthy: "any value, as long as nobody waits"})
	DiskRequestSize = add(Metric{ID: "disk.request-size", Name: "request size",
		Help: "mean bytes per read or write as the device got them, after merging",
		Unit: "bytes", Source: "/proc/diskstats: sectors x 512 / requests",
		Tools: []string{"iostat -dx 1   # rareq-sz, wareq-sz"}, Traps: []string{"a mean of two kinds of load describes neither"},
		Healthy: "4 to 16 KiB for databases, 128 KiB and more for streams"})
	PressureIO = add(Metric{ID: "pressure.io",
		Series:  stalled("io"),
		Counter: true, Name: "I/O pressure",
		Help: "share of the time in which at least one task was stalled on I/O",
		Unit: "share", Source: "/proc/pressure/io, growth of some total",
		Tools: []string{"cat /proc/pressure/io", "atop", "below live"}, Check: shell.Line("cat /proc/pressure/io"),
		Traps:   []string{"one task that copies a file makes 100 %", "programs with asynchronous I/O wait without being counted"},
		Healthy: "near 0 for hosts that serve requests"})
	ProcessDiskWait = add(Metric{ID: "process.disk-wait", Name: "threads waiting for disk",
		Help: "mean number of threads of a program that waited for block I/O",
		Unit: "threads", Source: "samples of /proc/PID/task/TID/{stat,wchan,stack,syscall}; without them taskstats blkio_delay_total",
		Tools:   []string{"ps -L -o tid,stat,wchan:30,comm -p PID", "pidstat -d 1   # iodelay", "iotop"},
		Traps:   []string{"the largest waiter is often a victim: jbd2, a flusher", "delay accounting is off by default since Linux 5.14 (kernel.task_delayacct)"},
		Healthy: "well under one thread"})
	ProcessIOBytes = add(Metric{ID: "process.io-bytes", Counter: true, Name: "bytes read and written by a process",
		Help: "bytes a process caused to be fetched from storage, and bytes it made dirty, per second",
		Unit: "bytes per second", Source: "/proc/PID/io read_bytes, write_bytes",
		Tools: []string{"pidstat -d 1", "iotop"},
		Traps: []string{"writes are counted when a page is dirtied: they may exceed what the disk does, come earlier, or be deleted before", "not per device or filesystem", "readable for the owner and root only"}})
	ProcessWriteCalls = add(Metric{ID: "process.write-calls", Counter: true, Name: "write calls",
		Help: "calls of write and its kin per second, failed ones included",
		Unit: "per second", Source: "/proc/PID/io syscw, beside wchar",
		Tools: []string{"strace -c -f -p PID", "cat /proc/PID/io"},
		Traps: []string{"calls that move nothing also come from sockets that would block", "asynchronous I/O and mmap are not counted"}})
	CgroupIOLimit = add(Metric{ID: "cgroup.io-limit", Counter: true, Name: "rate against the I/O limit of a control group",
		Help: "bytes or operations per second of a group, beside the limit set for it on a device",
		Unit: "per second", Source: "io.stat and io.max (v2); blkio.throttle.io_service_bytes, io_serviced and *_device (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/io.max", "systemd-cgtop"},
		Traps: []string{"the device looks idle: held requests have not reached it", "v1 does not hold back buffered writes", "the rate is summed over devices"}})
	FilesystemAvailable = add(Metric{ID: "filesystem.available",
		Labels: []string{"mount_point"}, Series: gauge(filesystem, func(s recording.MountSample) float64 { return reading(s.Available) }),
		Name: "space available",
		Help: "bytes an ordinary user can still allocate",
		Unit: "bytes", Source: "statfs f_bavail x f_frsize",
		Tools: []string{"df -B1"},
		Traps: []string{"root has more: ext4 keeps 5 % back", "deleted files that are held open still count", "quotas are not in it"}})
	FilesystemGrowth = add(Metric{ID: "filesystem.growth", Name: "growth of a filesystem",
		Help: "bytes of space used up per second of the window", Unit: "bytes per second", Source: "difference of statfs f_bavail",
		Tools: []string{"watch -d df"}, Traps: []string{"what grows for seconds is often deleted in minutes"}})
	FilesystemInodesFree = add(Metric{ID: "filesystem.inodes-free",
		Labels: []string{"mount_point"}, Series: gauge(filesystem, func(s recording.MountSample) float64 { return reading(s.InodesFree) }),
		Name: "free inodes",
		Help: "files, directories and links that can still be made",
		Unit: "count", Source: "statfs f_ffree", Tools: []string{"df -i"},
		Traps: []string{"XFS and Btrfs make inodes from free space: none are left when the space is gone"}})
	FilesystemInodeGrowth = add(Metric{ID: "filesystem.inode-growth", Name: "growth in files",
		Help: "inodes used up per second of the window", Unit: "per second", Source: "difference of statfs f_ffree", Tools: []string{"watch -d df -i"}})
)
