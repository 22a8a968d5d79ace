package imported

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/probe/host"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

const (
	// maxSnapshots bounds how often a file of /proc is read in a collection: once a second for
	// an hour.
	maxSnapshots = 4000
	// maxCollected bounds the files of a directory that are looked at.
	maxCollected = 20_000
)

// stamp is the line that pt-stalk writes above each copy of a file: "TS 1767322800.0042 2026-01-02 03:00:00".
var stamp = regexp.MustCompile(`^TS (\d{9,10})\.(\d{1,9}) `)

// snapshotName says which file of /proc a text is, copies of which follow stamps; "": none.
func snapshotName(head []byte) string {
	first, rest, ok := bytes.Cut(head, []byte{'\n'})
	if !ok || !stamp.Match(first) {
		return ""
	}
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	words := bytes.Fields(line)
	switch {
	case len(words) == 0:
	case string(words[0]) == "cpu":
		return "stat"
	case string(words[0]) == "MemTotal:":
		return "meminfo"
	case bytes.HasPrefix(words[0], []byte("nr_")) && len(words) == 2:
		return "vmstat"
	case string(words[0]) == "CPU0":
		return "interrupts"
	case len(words) >= 14 && isHeader([]string{string(words[2])}) && !isHeader([]string{string(words[0])}):
		return "diskstats"
	}
	return ""
}

// parseSnapshots reads copies of a file of /proc.
func parseSnapshots(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "pt-stalk", file: file, dated: true}
	name := snapshotName([]byte(text[:min(len(text), headBytes)]))
	t.whole = recording.New(recording.Manifest{})
	var at time.Time
	bad, early := 0, 0
	var first error
	take := func(copied string) {
		if at.IsZero() || len(t.reports) >= maxSnapshots {
			return
		}
		if n := len(t.reports); n > 0 && !at.After(t.reports[n-1].at) {
			early++
			return
		}
		w := recording.NewWriter(at)
		if _, err := host.Snapshot(w, name, at, []byte(copied), nil); err != nil {
			if bad++; first == nil {
				first = err
			}
			return
		}
		_ = t.whole.Commit(w) // memory takes all
		if name == "stat" && t.started.IsZero() {
			t.started = bootIn([]byte(copied))
		}
		t.reports = append(t.reports, report{at: at})
	}
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		m := stamp.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("reading %s: %.60q stands where a line with the time should be", file, line)
		}
		seconds, _ := strconv.ParseInt(m[1], 10, 64)
		nanos, _ := strconv.ParseInt((m[2] + "000000000")[:9], 10, 64)
		at = time.Unix(seconds, nanos)
		copied, next := rest, len(rest)
		if i := strings.Index(rest, "\nTS "); i >= 0 {
			copied, next = rest[:i+1], i+1
		}
		if next == len(rest) && !strings.HasSuffix(rest, "\n") {
			break // cut off
		}
		take(copied)
		text = rest[next:]
	}
	t.setBack(early)
	if bad > 0 {
		t.note("%s: %s could not be read, the first: %v", file, unit.Plural(int64(bad), "copy", "copies"), first)
	}
	if len(t.reports) == 0 {
		return nil, fmt.Errorf("reading %s: there is no whole copy of /proc/%s in it", file, name)
	}
	return t, nil
}

// wholeRows are the rows of copies of /proc: counters as they were.
func wholeRows(t *told) *rows {
	r := &rows{told: t, only: map[recording.Table][]string{}, first: t.reports[0].at, last: t.reports[len(t.reports)-1].at, holes: countedHoles(t.reports)}
	rec := t.whole
	r.cpus, r.system = recording.Rows[recording.CPUSample](rec), slices.Clone(recording.Rows[recording.SystemSample](rec))
	r.memory, r.vmstat = recording.Rows[recording.MemorySample](rec), recording.Rows[recording.VMStatSample](rec)
	r.disks, r.interrupts = slices.Clone(recording.Rows[recording.DiskSample](rec)), recording.Rows[recording.InterruptSample](rec)
	r.pressure, r.processes = recording.Rows[recording.PressureSample](rec), recording.Rows[recording.ProcessSample](rec)
	r.softirqs, r.softnet = recording.Rows[recording.SoftIRQSample](rec), recording.Rows[recording.SoftnetSample](rec)
	r.swaps, r.zones = recording.Rows[recording.SwapSample](rec), recording.Rows[recording.ZoneSample](rec)
	r.net, r.protocol = recording.Rows[recording.NetDeviceSample](rec), recording.Rows[recording.ProtocolSample](rec)
	r.sysctls = recording.Rows[recording.SysctlSample](rec)
	r.limits, r.groups = recording.Rows[recording.LimitSample](rec), recording.Rows[recording.CgroupSample](rec)
	r.conntrack, r.mounts = recording.Rows[recording.ConntrackSample](rec), recording.Rows[recording.MountSample](rec)
	if len(r.processes) > 0 {
		r.only[recording.Processes] = []string{"ppid", "comm", "state", "threads", "nice", "user_ns", "system_ns", "child_user_ns", "child_system_ns", "run_delay_ns", "minor_faults", "major_faults", "virtual_size_bytes"}
	}
	if len(t.trees) > 0 && t.trees[0].scrape != nil {
		r.scraped()
		return r
	}
	for i := range r.system {
		r.system[i].Load1, r.system[i].Load5, r.system[i].Load15 = view.Unknown, view.Unknown, view.Unknown
	}
	if len(r.system) > 0 {
		r.only[recording.System] = []string{"context_switches", "interrupts", "forks", "running", "blocked"}
	}
	r.diskCounters()
	if len(r.disks) > 0 {
		r.only[recording.Disks] = append(r.only[recording.Disks], "reads_merged", "writes_merged", "discards", "discard_time_ns", "flushes", "flush_time_ns")
	}
	r.copied()
	r.copiedLevels()
	return r
}

// diskCounters says which columns of disks are known of all counters of the kernel, and which
// devices are parts of others.
func (r *rows) diskCounters() {
	for i := range r.disks {
		r.disks[i].Rotational = !flash(r.disks[i].Device)
	}
	r.partitions()
	if len(r.disks) > 0 {
		r.only[recording.Disks] = []string{"reads", "read_bytes", "read_time_ns", "writes", "written_bytes", "write_time_ns", "in_flight", "busy_ns", "weighted_queue_ns"}
	}
}

// partitions says which devices are parts of others.
func (r *rows) partitions() {
	devices := map[string]bool{}
	for i := range r.disks {
		devices[r.disks[i].Device] = true
	}
	for i := range r.disks {
		d := &r.disks[i]
		d.Partition = partition(d.Device, devices)
	}
}

// scraped says which columns all answers of node_exporter tell that tell a table.
func (r *rows) scraped() {
	r.diskCounters()
	clear(r.only)
	for _, t := range r.told.trees {
		for table, columns := range t.scrape.only {
			if known, other := r.only[table]; !other {
				r.only[table] = slices.Sorted(maps.Keys(columns))
			} else {
				r.only[table] = slices.DeleteFunc(known, func(c string) bool { return !columns[c] })
			}
		}
	}
	for table, known := range r.only {
		if len(known) == 0 {
			r.only[table] = []string{"at"} // a table without columns here is whole
		}
	}
}

// scsiMinors are the numbers of a SCSI disk: its own, and those of its partitions.
const scsiMinors = 16

// partition says that a device is a part of another one, by their names: sda1 of sda, nvme0n1p1
// of nvme0n1, dev8-1 of dev8-0. Other names with a dash are those of volumes.
func partition(name string, all map[string]bool) bool {
	if major, minor, ok := view.DeviceNumbers(name); ok {
		scsi := major == 8 || major >= 65 && major <= 71 || major >= 128 && major <= 135
		return scsi && minor%scsiMinors != 0 && all[fmt.Sprintf("dev%d-%d", major, minor-minor%scsiMinors)]
	}
	if strings.Contains(name, "-") {
		return false
	}
	digits := strings.TrimRight(name, "0123456789")
	if digits == name || digits == "" {
		return false
	}
	return all[strings.TrimSuffix(digits, "p")] || all[digits]
}

// collected is the name of a file of pt-stalk: its trigger, and what is in it.
var collected = regexp.MustCompile(`^(\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d)-([a-z_0-9-]{1,40})$`)

// stalked are the files of a collection that are read.
var stalked = []string{"procstat", "procvmstat", "meminfo", "diskstats", "interrupts", "vmstat", "iostat", "mpstat", "top", "mysqladmin",
	"innodbstatus1", "innodbstatus2", "processlist", "transactions", "lock-waits", "variables"}

// ofCollection says that a file is one of a collection: where pt-stalk was stopped or MySQL did not answer it may be
// short, and the others are read without it.
func ofCollection(file string) bool { return collected.MatchString(filepath.Base(file)) }

// leftOutFor is the note on such a file.
func leftOutFor(err error) string { return fmt.Sprintf("left out: %v", err) }

// lasting is how many of these tell of more than one moment.
const lasting = 10

// IsCollection says that a path is a directory in which pt-stalk put files, or one of these
// files, or an unpacked archive with a copy of /proc.
func IsCollection(path string) bool {
	if collected.MatchString(filepath.Base(path)) {
		return !IsBeside(path)
	}
	_, list, err := collection(path)
	return err == nil && len(list) > 0 || isUnpacked(path)
}

// stalkedBeside are the files of a collection with packets and stacks.
var stalkedBeside = []string{"tcpdump", "stacktrace"}

// IsBeside says that a name is that of a file of pt-stalk with packets or stacks.
func IsBeside(path string) bool {
	m := collected.FindStringSubmatch(filepath.Base(path))
	return m != nil && slices.Contains(stalkedBeside, m[2])
}

// Beside are the files with packets and stacks of the collection that is read of a directory.
func Beside(dir string) (files []string) {
	_, list, err := collection(dir)
	if err != nil || len(list) == 0 {
		return nil
	}
	trigger := collected.FindStringSubmatch(filepath.Base(list[0]))[1]
	for _, k := range stalkedBeside {
		path := filepath.Join(dir, trigger+"-"+k)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			files = append(files, path)
		}
	}
	return files
}

// collection is the last one in a directory, and its files; others is how many there are
// stalkedBeside.
func collection(dir string) (others int, files []string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return 0, nil, err // opening a FIFO takes it from whoever reads it next
	}
	d, err := os.Open(dir)
	if err != nil {
		return 0, nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(maxCollected)
	if err != nil {
		return 0, nil, err
	}
	triggers := map[string][]string{}
	for _, n := range names {
		if m := collected.FindStringSubmatch(n); m != nil {
			triggers[m[1]] = append(triggers[m[1]], m[2])
		}
	}
	last := ""
	for trigger, kinds := range triggers {
		if trigger > last && slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(stalked[:lasting], k) }) {
			last = trigger
		}
	}
	for _, k := range stalked {
		path := filepath.Join(dir, last+"-"+k)
		// pt-stalk writes neither links nor FIFOs.
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && slices.Contains(triggers[last], k) && Is(path) {
			files = append(files, path)
		}
	}
	return max(len(triggers)-1, 0), files, nil
}

// expand puts the files of a collection in place of its directory, and leaves out files of one
// that are not read.
func expand(paths []string) (files, notes []string, err error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err == nil && info.IsDir() && isUnpacked(p):
			files = append(files, p)
		case err == nil && info.IsDir():
			others, list, err := collection(p)
			if err != nil {
				return nil, nil, fmt.Errorf("reading a collection: %w", err)
			}
			if others > 0 && len(list) > 0 {
				notes = append(notes, fmt.Sprintf("%s: the last of %d collections was read, %s; for another one give its files", p, others+1, filepath.Base(list[0])[:19]))
			}
			files = append(files, list...)
		case collected.MatchString(filepath.Base(p)) && (!slices.Contains(stalked, collected.FindStringSubmatch(filepath.Base(p))[2]) || !Is(p)):
		default:
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("reading %s: none of these files tells numbers of the host", cmp.Or(strings.Join(paths[:min(len(paths), 3)], ", "), "nothing"))
	}
	return files, notes, nil
}
