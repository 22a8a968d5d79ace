package imported

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/probe/host"
	"rtrail/internal/recording"
)

// field is a column of a row R, by its name and its place; T is its type.
type field[R, T any] struct {
	column string
	of     func(*R) *T
}

// keep sets the field of a row that a collector calls measured; false: there is none.
func keep[R any, T int64 | uint64](s *scrape, t recording.Table, fields map[string]field[R, T], measured string, row *R, v float64) bool {
	f, ok := fields[measured]
	if !ok {
		return false
	}
	s.knows(t, f.column)
	*f.of(row) = T(v)
	return true
}

// memoryGauges are those of the collector meminfo.
var memoryGauges = map[string]field[recording.MemorySample, int64]{
	"MemTotal_bytes":     {"total_bytes", func(m *recording.MemorySample) *int64 { return &m.Total }},
	"MemFree_bytes":      {"free_bytes", func(m *recording.MemorySample) *int64 { return &m.Free }},
	"MemAvailable_bytes": {"available_bytes", func(m *recording.MemorySample) *int64 { return &m.Available }},
	"Buffers_bytes":      {"buffers_bytes", func(m *recording.MemorySample) *int64 { return &m.Buffers }},
	"Cached_bytes":       {"cached_bytes", func(m *recording.MemorySample) *int64 { return &m.Cached }},
	"AnonPages_bytes":    {"anon_bytes", func(m *recording.MemorySample) *int64 { return &m.Anon }},
	"Shmem_bytes":        {"shmem_bytes", func(m *recording.MemorySample) *int64 { return &m.Shmem }},
	"Dirty_bytes":        {"dirty_bytes", func(m *recording.MemorySample) *int64 { return &m.Dirty }},
	"Writeback_bytes":    {"writeback_bytes", func(m *recording.MemorySample) *int64 { return &m.Writeback }},
	"SwapTotal_bytes":    {"swap_total_bytes", func(m *recording.MemorySample) *int64 { return &m.SwapTotal }},
	"SwapFree_bytes":     {"swap_free_bytes", func(m *recording.MemorySample) *int64 { return &m.SwapFree }},
}

// interfaceCounters are those of the collector netdev, which are the columns of /proc/net/dev.
var interfaceCounters = map[string]field[recording.NetDeviceSample, uint64]{
	"receive_bytes_total":    {"rx_bytes", func(d *recording.NetDeviceSample) *uint64 { return &d.RxBytes }},
	"receive_packets_total":  {"rx_packets", func(d *recording.NetDeviceSample) *uint64 { return &d.RxPackets }},
	"receive_errs_total":     {"rx_errors", func(d *recording.NetDeviceSample) *uint64 { return &d.RxErrors }},
	"receive_drop_total":     {"rx_dropped", func(d *recording.NetDeviceSample) *uint64 { return &d.RxDropped }},
	"receive_fifo_total":     {"rx_fifo", func(d *recording.NetDeviceSample) *uint64 { return &d.RxFIFO }},
	"transmit_bytes_total":   {"tx_bytes", func(d *recording.NetDeviceSample) *uint64 { return &d.TxBytes }},
	"transmit_packets_total": {"tx_packets", func(d *recording.NetDeviceSample) *uint64 { return &d.TxPackets }},
	"transmit_errs_total":    {"tx_errors", func(d *recording.NetDeviceSample) *uint64 { return &d.TxErrors }},
	"transmit_drop_total":    {"tx_dropped", func(d *recording.NetDeviceSample) *uint64 { return &d.TxDropped }},
	"transmit_fifo_total":    {"tx_fifo", func(d *recording.NetDeviceSample) *uint64 { return &d.TxFIFO }},
	"transmit_colls_total":   {"collisions", func(d *recording.NetDeviceSample) *uint64 { return &d.Collisions }},
	"transmit_carrier_total": {"carrier", func(d *recording.NetDeviceSample) *uint64 { return &d.Carrier }},
}

// network takes a counter of an interface. Whether a card is behind it is not told.
func (s *scrape) network(device, measured string, v float64) bool {
	if _, ok := interfaceCounters[measured]; !ok {
		return false
	}
	d := s.interfaces[device]
	if d == nil {
		d = &recording.NetDeviceSample{Interface: device, SpeedMbps: recording.Unknown}
		s.interfaces[device] = d
	}
	return keep(s, recording.NetDevices, interfaceCounters, measured, d, v)
}

// filesystemGauges are those of the collector filesystem.
var filesystemGauges = map[string]field[recording.MountSample, int64]{
	"size_bytes":  {"size_bytes", func(m *recording.MountSample) *int64 { return &m.Size }},
	"free_bytes":  {"free_bytes", func(m *recording.MountSample) *int64 { return &m.Free }},
	"avail_bytes": {"available_bytes", func(m *recording.MountSample) *int64 { return &m.Available }},
	"files":       {"inodes", func(m *recording.MountSample) *int64 { return &m.Inodes }},
	"files_free":  {"inodes_free", func(m *recording.MountSample) *int64 { return &m.InodesFree }},
}

// maxMountPoint bounds the name of a mount point, in bytes.
const maxMountPoint = 512

// plainSource is what is mounted, where that cannot hold a password.
var plainSource = regexp.MustCompile(`^[a-zA-Z0-9_./:+-]{1,200}$`)

// filesystem takes a gauge of a mounted filesystem.
func (s *scrape) filesystem(of map[string]string, measured string, v float64) bool {
	point, kind := of["mountpoint"], clip(of["fstype"])
	_, gauge := filesystemGauges[measured]
	if !gauge && measured != "readonly" {
		return false
	}
	if point == "" || len(point) > maxMountPoint || kind == "" || !host.HasSpace(kind) {
		return true // read, and worth no row
	}
	m := s.mounts[point]
	if m == nil {
		m = &recording.MountSample{MountPoint: strings.Clone(strings.ToValidUTF8(point, "")), FSType: kind}
		if plainSource.MatchString(of["device"]) {
			m.Device = strings.Clone(of["device"])
		}
		s.mounts[strings.Clone(point)] = m
		for _, c := range []string{"mount_point", "fs_type"} {
			s.knows(recording.Mounts, c)
		}
	}
	if measured == "readonly" {
		s.knows(recording.Mounts, "read_only")
		m.ReadOnly = v > 0
		return true
	}
	return keep(s, recording.Mounts, filesystemGauges, measured, m, v)
}

// softnetCounters are those of the collector softnet.
var softnetCounters = map[string]field[recording.SoftnetSample, uint64]{
	"processed_total":      {"processed", func(b *recording.SoftnetSample) *uint64 { return &b.Processed }},
	"dropped_total":        {"dropped", func(b *recording.SoftnetSample) *uint64 { return &b.Dropped }},
	"times_squeezed_total": {"squeezed", func(b *recording.SoftnetSample) *uint64 { return &b.Squeezed }},
}

// backlog takes a counter of the receive backlog of a CPU.
func (s *scrape) backlog(cpu, measured string, v float64) bool {
	n, err := strconv.ParseInt(cpu, 10, 32)
	if _, ok := softnetCounters[measured]; !ok || err != nil || n < 0 {
		return false
	}
	b := s.softnet[cpu]
	if b == nil {
		b = &recording.SoftnetSample{CPU: int32(n)}
		s.softnet[strings.Clone(cpu)] = b
	}
	return keep(s, recording.Softnet, softnetCounters, measured, b, v)
}

// sameBacklogs leaves out the backlogs of answers that tell of more or fewer CPUs than most do. Kernels
// before 5.14 list CPUs that are on line, without their numbers: while one is off line, node_exporter
// gives those after it the numbers of others.
func sameBacklogs(trees []*tree) {
	answers, usual := map[int]int{}, 0 // by number of CPUs
	for _, tr := range trees {
		if tr.scrape == nil || len(tr.scrape.softnet) == 0 {
			continue
		}
		n := len(tr.scrape.softnet)
		if answers[n]++; answers[n] > answers[usual] {
			usual = n
		}
	}
	for _, tr := range trees {
		if tr.scrape != nil && len(tr.scrape.softnet) != usual {
			clear(tr.scrape.softnet)
		}
	}
}

// counterName is one that kernels print.
var counterName = regexp.MustCompile(`^[a-zA-Z0-9]{1,20}_[a-zA-Z0-9_]{1,60}$`)

// counter takes a counter of a protocol, as Tcp_OutSegs of the collector netstat, or a gauge, as
// TCP_tw of sockstat.
func (s *scrape) counter(family, measured string, v float64) bool {
	if !counterName.MatchString(measured) {
		return false
	}
	protocol, name, _ := strings.Cut(measured, "_")
	if family == "sockstat" {
		protocol = "Sock" + strings.TrimPrefix(protocol, "sockets")
	}
	key := [2]string{strings.Clone(protocol), strings.Clone(name)}
	s.knows(recording.Protocol, protocol+name)
	s.counters[key] = int64(v)
	return true
}

// trackingGauges and trackingCounters are those of the collector conntrack.
var (
	trackingGauges = map[string]field[recording.ConntrackSample, int64]{
		"conntrack_entries":       {"count", func(c *recording.ConntrackSample) *int64 { return &c.Count }},
		"conntrack_entries_limit": {"max", func(c *recording.ConntrackSample) *int64 { return &c.Max }},
	}
	trackingCounters = map[string]field[recording.ConntrackSample, uint64]{
		"conntrack_stat_found":         {"found", func(c *recording.ConntrackSample) *uint64 { return &c.Found }},
		"conntrack_stat_insert":        {"insert", func(c *recording.ConntrackSample) *uint64 { return &c.Insert }},
		"conntrack_stat_insert_failed": {"insert_failed", func(c *recording.ConntrackSample) *uint64 { return &c.InsertFailed }},
		"conntrack_stat_drop":          {"drop", func(c *recording.ConntrackSample) *uint64 { return &c.Drop }},
		"conntrack_stat_early_drop":    {"early_drop", func(c *recording.ConntrackSample) *uint64 { return &c.EarlyDrop }},
		"conntrack_stat_invalid":       {"invalid", func(c *recording.ConntrackSample) *uint64 { return &c.Invalid }},
	}
)

// tracking takes a number of connection tracking.
func (s *scrape) tracking(measured string, v float64) bool {
	return keep(s, recording.Conntrack, trackingGauges, measured, &s.conntrack, v) || keep(s, recording.Conntrack, trackingCounters, measured, &s.conntrack, v)
}

// writeNetwork makes rows of what an answer tells of the network.
func (s *scrape) writeNetwork(w *recording.Writer) {
	for _, d := range s.interfaces {
		d.At = s.at
		recording.Append(w, *d)
	}
	for _, b := range s.softnet {
		b.At = s.at
		recording.Append(w, *b)
	}
	// In the same order each time, which is read faster.
	for _, key := range slices.SortedFunc(maps.Keys(s.counters), func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) }) {
		recording.Append(w, recording.ProtocolSample{At: s.at, Protocol: key[0], Name: key[1], Value: s.counters[key]})
	}
	if s.conntrack.At = s.at; len(s.only[recording.Conntrack]) > 0 {
		recording.Append(w, s.conntrack)
	}
}
