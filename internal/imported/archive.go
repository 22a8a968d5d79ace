package imported

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/infile"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/host"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// Bounds of an archive of a stranger. Nothing of it is written to a disk, links in it are
// not followed, and of its files only those of /proc are kept.
const (
	maxEntries  = 400_000
	maxEntry    = 4 << 20  // bytes of a file of /proc
	maxKept     = 64 << 20 // of all of these
	maxUnpacked = 4 << 30  // of everything, unpacked
	freely      = 64 << 20 // from here on maxRatio counts
	maxRatio    = 200      // unpacked bytes for each packed one: text packs to a twentieth, zeros to a thousandth
	maxDepth    = 40       // folders
	maxName     = 1024
	maxTrees    = 500     // copies of /proc
	maxLines    = 500_000 // of the files that make a row of each line
	maxWords    = 1 << 20 // of those that make a row of each number: 500 copies have 300,000
)

// isTar says that a file is an archive of tar (POSIX.1-1988 and GNU).
func isTar(head []byte) bool { return len(head) > 262 && string(head[257:262]) == "ustar" }

// tree is one copy of /proc.
type tree struct {
	at       time.Time // when it was made, as setTimes tells
	written  time.Time // when its file stat was, as its archive tells
	youngest time.Time // the latest time of files beside it, if it is the only one of an archive
	files    map[string][]byte
	// descriptors are how many open files each process has, by its folder; none: nobody told.
	descriptors map[string]int64
	// scrape is what node_exporter told, in place of files.
	scrape *scrape
}

// counted counts the packed bytes below a decompressor.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// tame ends a stream that is larger than any collection, or that grows without end out of
// next to nothing.
type tame struct {
	io.Reader
	packed *counted
	n      int64
}

var errBomb = errors.New("it unpacks to far more than a collection has (a tar bomb?)")

func (t *tame) Read(p []byte) (int, error) {
	if t.n > maxUnpacked || t.n > freely && t.n > maxRatio*max(t.packed.n, 1) {
		return 0, errBomb
	}
	n, err := t.Reader.Read(p)
	t.n += int64(n)
	return n, err
}

// readArchive collects the copies of /proc in an archive, else files of sar or of pt-stalk.
func readArchive(ctx context.Context, file string, packed *counted, in io.Reader) ([]*told, error) {
	r := tar.NewReader(infile.Until(ctx, &tame{Reader: in, packed: packed}))
	trees, memory, kept, rows, words, sar := map[string]*tree{}, budget.From(ctx), int64(0), 0, 0, sarFiles{}
	t := &told{tool: "archive", file: file, dated: true}
	var youngest time.Time // of files that are none of /proc
	var ended string       // what is wrong with the end of the archive, for errors
	open, stalk, logs := openFiles{}, stalkArchive{}, kernelLogs{archive: file}
	for n := 0; ; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && (len(trees) > 0 || stalk.found()) && !errors.Is(err, errBomb) && ctx.Err() == nil {
			ended = fmt.Sprintf("it is damaged or cut off after %s: %v", unit.Plural(n, "file", "files"), err)
			t.note("%s: %s", file, ended)
			ended = "; " + ended
			break
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("reading the archive %s: it is cut off after %s: %w", file, unit.Plural(n, "file", "files"), err)
		case err != nil:
			return nil, fmt.Errorf("reading the archive %s: %w", file, err)
		case n == maxEntries:
			return nil, fmt.Errorf("reading the archive %s: it has more than %d files", file, maxEntries)
		case h.Typeflag == tar.TypeSymlink && len(h.Name) <= maxName:
			if where, pid, ok := descriptor(h.Name); ok {
				if err := open.count(memory, where, pid); err != nil {
					return nil, fmt.Errorf("reading the archive %s: %w", file, err)
				}
			}
			continue
		case len(h.Name) > maxName || strings.Count(h.Name, "/") > maxDepth || h.Typeflag != tar.TypeReg || sparse(h):
			continue
		}
		where, name, ok := procFile(h.Name)
		if !ok && sane(h.ModTime) && h.ModTime.After(youngest) {
			youngest = h.ModTime
		}
		if !ok {
			if err := cmp.Or(stalk.take(memory, h, r), sar.take(memory, h, r), logs.take(memory, h, r)); err != nil {
				return nil, fmt.Errorf("reading the archive %s: %w", file, err)
			}
			continue
		}
		if h.Size > maxEntry || kept+h.Size > maxKept || !memory.Take(h.Size) {
			return nil, fmt.Errorf("reading the archive %s: its copies of /proc have more than %v", file, unit.Bytes(maxKept))
		}
		b, err := io.ReadAll(io.LimitReader(r, maxEntry))
		if err != nil {
			if errors.Is(err, errBomb) || ctx.Err() != nil {
				return nil, fmt.Errorf("reading the archive %s: %w", file, err)
			}
			continue // cut off: Next says so
		}
		kept += int64(len(b))
		if perLine[name] {
			rows += bytes.Count(b, []byte{'\n'})
		}
		if name == "net/snmp" || name == "net/netstat" {
			if words += len(bytes.Fields(b)); words > maxWords {
				return nil, fmt.Errorf("reading the archive %s: its copies of /proc/net have more than %d numbers; give fewer copies", file, maxWords)
			}
		}
		if rows > maxLines {
			return nil, fmt.Errorf("reading the archive %s: its copies of /proc have more than %d lines; give fewer copies", file, maxLines)
		}
		if trees[where] == nil {
			if len(trees) == maxTrees {
				return nil, fmt.Errorf("reading the archive %s: it has more than %d copies of /proc", file, maxTrees)
			}
			trees[where] = &tree{files: map[string][]byte{}}
		}
		if name == "stat" {
			trees[where].written = h.ModTime
		}
		trees[where].files[name] = b
	}
	for _, where := range slices.Sorted(maps.Keys(trees)) {
		if tr := trees[where]; len(tr.files["stat"]) > 0 {
			tr.descriptors = open[where]
			t.trees = append(t.trees, tr)
		}
	}
	if len(t.trees) == 1 {
		t.trees[0].youngest = youngest
	}
	setTimes(t.trees)
	t.trees = slices.DeleteFunc(t.trees, func(tr *tree) bool { return !sane(tr.at) })
	if stalk.found() && (len(t.trees) > 0 || sar.found()) {
		t.note("%s: files of pt-stalk in it are left out, as %s: unpack them and give their directory", file, stalk.latest())
	}
	switch {
	case sar.found() && len(t.trees) < 2:
		read, err := sar.read(ctx, t)
		if err == nil && len(logs.files) > 0 {
			read.logs, logs.folder = &logs, folderOf(strings.TrimPrefix(read.file, file+":"))
			if len(t.trees) > 0 && t.trees[0].mayBeOf(read.host.Name) {
				logs.boot = t.trees[0].boot()
			}
		}
		if err == nil || len(t.trees) == 0 || ctx.Err() != nil {
			return []*told{read}, err
		}
		t.note("%v; the copy of /proc is judged in its place", err)
	case sar.found():
		t.note("%s: it holds files of sar, too, which are not read beside copies of /proc: unpack %s and give it", file, cmp.Or(sar.binary.name, sar.text.name))
	case len(t.trees) == 0 && stalk.found():
		all, err := stalk.read(file)
		if err == nil && len(all) == 0 {
			err = fmt.Errorf("reading the archive %s: none of the files of pt-stalk in it, as %s, tells numbers of the host%s", file, stalk.latest(), ended)
		}
		if err == nil {
			all[0].notes = append(t.notes, all[0].notes...)
		}
		return all, err
	case len(t.trees) == 0:
		return nil, fmt.Errorf("reading the archive %s: there is no copy of /proc/stat in it%s", file, ended)
	}
	return []*told{t}, nil
}

// sparse says that a file has holes (GNU tar, in PAX headers). The zeros in these lie in no archive, so that tame
// counts none of them, and no file that is read has holes.
func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// perLine are files each line of which is a row.
var perLine = map[string]bool{"stat": true, "diskstats": true, "softirqs": true, "interrupts": true, "swaps": true, "net/softnet_stat": true, "zoneinfo": true,
	"net/dev": true}

// procFile says whether a name in an archive is that of a file of /proc, or of a control group, that is
// read: below which folder, and which file ("stat", "1/stat", "/system.slice/memory.max").
func procFile(name string) (where, file string, ok bool) {
	if where, file, ok := groupFile(name); ok {
		return where, file, true
	}
	name = path.Clean("/" + name)
	i := strings.LastIndex(name, "/proc/")
	if i < 0 {
		return "", "", false
	}
	where, file = name[:i], name[i+len("/proc/"):]
	switch file {
	case "stat", "uptime", "meminfo", "vmstat", "diskstats", "softirqs", "net/softnet_stat", "swaps", "zoneinfo", "interrupts", "sys/kernel/hostname",
		"pressure/cpu", "pressure/memory", "pressure/io", "loadavg", "sys/fs/file-nr", "net/dev", "net/snmp", "net/netstat", "net/stat/nf_conntrack":
		return where, file, true
	}
	if settingOf[file] != "" {
		return where, file, true
	}
	pid, of, ok := strings.Cut(file, "/")
	return where, file, ok && pid != "" && strings.Trim(pid, "0123456789") == "" && (of == "stat" || of == "schedstat" || of == "limits")
}

// joinTrees makes one source of the copies of /proc in all archives.
func joinTrees(all []*told) ([]*told, error) {
	var first *told
	var rest []*told
	for _, t := range all {
		switch {
		case t.trees == nil:
			rest = append(rest, t)
		case first == nil:
			first = t
		default:
			if first.tool != t.tool {
				return nil, fmt.Errorf("reading %s and %s: they are of different kinds; give those of one kind", first.file, t.file)
			}
			if first.host.Name != t.host.Name {
				return nil, fmt.Errorf("reading %s: it is of host %s, %s is of %s; judge one host at a time", t.file, t.host.Name, first.file, first.host.Name)
			}
			first.trees, first.notes = append(first.trees, t.trees...), append(first.notes, t.notes...)
			first.file += ", " + t.file
		}
	}
	if first == nil {
		return all, nil
	}
	if setTimes(first.trees) {
		first.note("%s: when /proc was copied is told by what its CPUs counted, as the files kept the time at which the kernel made them (cp -p), and there is no copy of proc/uptime", first.file)
	}
	slices.SortStableFunc(first.trees, func(a, b *tree) int { return a.at.Compare(b.at) })
	n := len(first.trees)
	first.trees = slices.CompactFunc(first.trees, func(a, b *tree) bool { return a.at.Equal(b.at) })
	if n > 1 && len(first.trees) == 1 {
		return nil, first.sameTime(n)
	}
	if first.once = len(first.trees) == 1 && len(rest) == 0 && !first.rates; len(first.trees) < 2 && !first.once {
		return nil, fmt.Errorf("reading %s: there is one %s in it, which tells what was counted since the host was started; give two or more, taken some seconds apart", first.file,
			map[bool]string{false: "copy of /proc", true: "answer of node_exporter"}[first.trees[0].scrape != nil])
	}
	if err := ofOneHost(first.file, first.trees); err != nil {
		return nil, err
	}
	sameBacklogs(first.trees)
	first.whole = recording.New(recording.Manifest{})
	for _, tr := range first.trees {
		w := recording.NewWriter(tr.at)
		tr.write(w, first)
		_ = first.whole.Commit(w) // memory takes all
		first.reports = append(first.reports, report{at: tr.at})
	}
	return append(rest, first), nil
}

// boot is when the host of a copy was started; zero: it is not told.
func (tr *tree) boot() time.Time { return bootIn(tr.files["stat"]) }

// bootIn is when the host was started, by a copy of /proc/stat; zero: it does not tell.
func bootIn(stat []byte) (at time.Time) {
	_, rest, _ := bytes.Cut(stat, []byte("\nbtime "))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	if n, err := strconv.ParseInt(string(line), 10, 64); err == nil && sane(time.Unix(n, 0)) {
		at = time.Unix(n, 0)
	}
	return at
}

// hostname is the name of the host of a copy; "": it is not told.
func (tr *tree) hostname() string {
	if name := strings.TrimSpace(string(tr.files["sys/kernel/hostname"])); len(name) <= maxKey {
		return strings.ToValidUTF8(name, "?")
	}
	return ""
}

// mayBeOf says that nothing tells that a copy is of another host than reports beside it; "": they do not say.
func (tr *tree) mayBeOf(host string) bool {
	name := tr.hostname()
	return name == "" || host == "" || name == host
}

// sameBoot is by how much the time of the start may differ in copies of one host: the kernel
// makes it of the clock, which may be set.
const sameBoot = time.Minute

// ofOneHost refuses copies of several hosts, and of one that was started again: their counters
// have nothing to do with each other.
func ofOneHost(file string, trees []*tree) error {
	var name string
	var boot time.Time
	for _, tr := range trees {
		other, began := tr.hostname(), tr.boot()
		switch {
		case name != "" && other != "" && other != name:
			return fmt.Errorf("reading %s: it is of host %.80q, and of %.80q; judge one host at a time", file, name, other)
		case !boot.IsZero() && !began.IsZero() && began.Sub(boot).Abs() > sameBoot:
			return fmt.Errorf("reading %s: one copy is of a host that was started at %v, another one at %v; give copies of one host, all from before or after a restart", file, unit.Moment(boot), unit.Moment(began))
		}
		name = cmp.Or(name, other)
		if boot.IsZero() {
			boot = began
		}
	}
	return nil
}

// write makes rows of a copy.
func (tr *tree) write(w *recording.Writer, t *told) {
	if tr.scrape != nil {
		tr.scrape.write(w, &t.cpus)
		return
	}
	boot := tr.boot()
	t.host.Name = cmp.Or(tr.hostname(), t.host.Name)
	for _, name := range slices.Sorted(maps.Keys(tr.files)) {
		b := tr.files[name]
		if name[0] == '/' {
			continue // of a group
		}
		if folder, of, _ := strings.Cut(name, "/"); pidOf(folder) > 0 {
			switch of {
			case "stat":
				tr.process(w, pidOf(folder), b, boot)
			case "limits":
				tr.limits(w, pidOf(folder), folder, b)
			}
			continue
		}
		known, err := tr.network(w, name, b)
		if !known {
			_, err = host.Snapshot(w, name, tr.at, b, tr.files["stat"])
		}
		if err != nil {
			t.note("%s: /proc/%s of %v: %v", t.file, name, unit.Moment(tr.at), err)
		}
	}
	tr.groups(w)
}

// userHZ is the unit of times in /proc/PID/stat.
const userHZ = 100

// process makes a row of a copy of /proc/PID/stat.
func (tr *tree) process(w *recording.Writer, pid int32, b []byte, boot time.Time) {
	s, ok := census.ParseStat(b, func(name []byte) string { return strings.ToValidUTF8(string(name[:min(len(name), 64)]), "") })
	if !ok {
		return
	}
	const none = recording.Unknown
	row := recording.ProcessSample{At: tr.at, PID: pid, PPID: s.PPID, Comm: s.Comm, Kernel: s.Kernel, State: string(s.State), UID: none, Threads: s.Threads, Nice: s.Nice,
		User: s.User, System: s.System, ChildUser: s.ChildUser, ChildSystem: s.ChildSystem, MinorFaults: s.MinorFaults, MajorFaults: s.MajorFaults,
		VirtualSize: s.VirtualSize, RunTime: none, RunDelay: none, BlockDelay: none, SwapDelay: none, Voluntary: none, Involuntary: none, RSS: none, Anon: none, File: none,
		Shmem: none, Swap: none, ReadChars: none, WriteChars: none, ReadCalls: none, WriteCalls: none, ReadBytes: none, WriteBytes: none, Cancelled: none}
	if !boot.IsZero() && s.StartTicks < 1<<39 {
		row.Started = boot.Add(time.Duration(s.StartTicks) * (time.Second / userHZ))
	}
	if sched, ok := census.ParseSched(tr.files[fmt.Sprintf("%d/schedstat", pid)]); ok && s.Threads == 1 {
		row.RunDelay = sched.RunDelay // of more threads the main one says little
	}
	recording.Append(w, row)
}
