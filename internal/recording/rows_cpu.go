package recording

import "time"

// CPUSample holds the time counters of one CPU since boot, from /proc/stat.
// The kernel counts them in USER_HZ ticks; they are kept as durations with
// that granularity (10 ms). User and nice include the time of guests.
type CPUSample struct {
	At      time.Time     `parquet:"at,timestamp(nanosecond)"`
	CPU     int32         `parquet:"cpu"` // -1: the sum over all CPUs
	User    time.Duration `parquet:"user_ns"`
	Nice    time.Duration `parquet:"nice_ns"`
	System  time.Duration `parquet:"system_ns"`
	Idle    time.Duration `parquet:"idle_ns"`
	IOWait  time.Duration `parquet:"iowait_ns"` // idle with I/O pending; not reliable per CPU
	IRQ     time.Duration `parquet:"irq_ns"`
	SoftIRQ time.Duration `parquet:"softirq_ns"`
	Steal   time.Duration `parquet:"steal_ns"`
}

// SystemSample holds totals of the scheduler and of the file table, from
// /proc/stat, /proc/loadavg and /proc/sys/fs/file-nr.
type SystemSample struct {
	At              time.Time `parquet:"at,timestamp(nanosecond)"`
	ContextSwitches uint64    `parquet:"context_switches"` // since boot
	Interrupts      uint64    `parquet:"interrupts"`       // since boot
	Forks           uint64    `parquet:"forks"`            // processes and threads created since boot
	Running         int64     `parquet:"running"`          // tasks runnable right now, host wide
	Blocked         int64     `parquet:"blocked"`          // tasks waiting for I/O right now
	Load1           float64   `parquet:"load1"`            // average number of runnable and uninterruptible tasks over one minute
	Load5           float64   `parquet:"load5"`            // the same over five minutes
	Load15          float64   `parquet:"load15"`           // the same over fifteen minutes
	Tasks           int64     `parquet:"tasks"`            // tasks that exist, threads counted
	FilesOpen       int64     `parquet:"files_open"`       // file handles in use, host wide
	FilesMax        int64     `parquet:"files_max"`        // fs.file-max
}

// PressureSample holds the stall totals of one resource for the host, from
// /proc/pressure. Totals count since boot. Full is zero where the kernel gives
// no "full" line.
type PressureSample struct {
	At        time.Time     `parquet:"at,timestamp(nanosecond)"`
	Resource  string        `parquet:"resource"`           // cpu, memory, io, irq
	Some      time.Duration `parquet:"some_ns"`            // at least one task stalled
	Full      time.Duration `parquet:"full_ns"`            // all non-idle tasks stalled
	SomeAvg10 float64       `parquet:"some_avg10_percent"` // percent of the last ten seconds
}

// SoftIRQSample counts how often one kind of softirq ran on one CPU since
// boot, from /proc/softirqs.
type SoftIRQSample struct {
	At    time.Time `parquet:"at,timestamp(nanosecond)"`
	Kind  string    `parquet:"kind,dict"` // NET_RX, TIMER, ...
	CPU   int32     `parquet:"cpu"`
	Count uint64    `parquet:"count"`
}

// InterruptSample counts one interrupt line on one CPU since boot, from
// /proc/interrupts. Lines that never fired on a CPU have no row.
type InterruptSample struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	IRQ    string    `parquet:"irq,dict"`    // number, or a name as LOC or RES
	Device string    `parquet:"device,dict"` // chip, type and device as printed
	CPU    int32     `parquet:"cpu"`
	Count  uint64    `parquet:"count"`
}

// SoftnetSample holds the receive backlog of one CPU since boot, from
// /proc/net/softnet_stat (kernel net/core/net-procfs.c).
type SoftnetSample struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	CPU       int32     `parquet:"cpu"`
	Processed uint64    `parquet:"processed"` // packets
	Dropped   uint64    `parquet:"dropped"`   // backlog full
	Squeezed  uint64    `parquet:"squeezed"`  // budget or time used up with work left
	Backlog   uint64    `parquet:"backlog"`   // packets queued right now; 0 on kernels before 5.14
}

func (CPUSample) Table() Table       { return CPUs }
func (SystemSample) Table() Table    { return System }
func (PressureSample) Table() Table  { return Pressure }
func (SoftIRQSample) Table() Table   { return SoftIRQs }
func (InterruptSample) Table() Table { return Interrupts }
func (SoftnetSample) Table() Table   { return Softnet }
