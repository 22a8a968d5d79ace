// Package imported reads what other tools wrote down of a host: vmstat, iostat,
// mpstat, pidstat, sar, tsar and top, pt-stalk, copies of /proc, node_exporter. Each becomes rows of the tables of a recording, so that
// rules judge them as they judge a host that is watched. What a tool does not tell
// is blank, and the manifest says which columns it tells (recording.ProbeInfo.Only), so that
// rules which need others are not judged.
//
// These tools print rates, and tables hold counters: each counter begins at zero and grows by
// rate times interval. The reports with which vmstat, iostat and top begin tell of the time
// since the host was started, and are left out.
package imported

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/infile"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/version"
)

const (
	// maxText bounds a file, unpacked: reports of 500 processes, once a second, for 20 minutes.
	maxText = 64 << 20
	// headBytes is how much of a file shows what it is.
	headBytes = 16 << 10
	// maxFiles bounds the files of one host that are put together.
	maxFiles = 200
	// maxTimes bounds the files an error names.
	maxTimes = 5
)

// parser reads a text of one kind. until is when it was written last.
type parser func(file, text string, until time.Time) (*told, error)

// kindOf says how to read a text that begins with head; nil: it is of no kind that is known.
func kindOf(head []byte) parser {
	if isSadf(head) {
		return parseSadf
	}
	if isPrometheus(head) {
		return parsePrometheus
	}
	if isSadfCSV(head) {
		return parseSadfCSV
	}
	if snapshotName(head) != "" {
		return parseSnapshots
	}
	if isScrape(head) {
		return parseScrape
	}
	if mysqlKind(head) != "" {
		return parseMySQL
	}
	if isTsar(head) {
		return parseTsar
	}
	n := 0
	for line := range bytes.Lines(head) {
		words := bytes.Fields(line)
		if len(words) == 0 {
			continue
		}
		if n++; n > 10 {
			break
		}
		text := string(bytes.TrimRight(line, "\r\n \t"))
		switch {
		case banner.MatchString(text):
			return parseSysstat
		case topBanner.MatchString(text):
			return parseTop
		case bytes.Contains(words[0], []byte("procs")) && bytes.Contains(line, []byte("--")) && bytes.Contains(line, []byte("swap")) || bytes.Contains(line, []byte(" swpd ")) && bytes.Contains(line, []byte(" cs ")):
			return parseVMStat
		}
	}
	return nil
}

// Is says that a file is one that Read takes. It is judged by what is in it, whatever its name.
func Is(path string) bool {
	return infile.Begins(path, func(in io.Reader) bool {
		head := make([]byte, headBytes)
		n, _ := io.ReadFull(in, head)
		return kindOf(head[:n]) != nil || otherIn(head[:n]) != nil || isSar(head[:n]) || isTar(head[:n])
	})
}

// Read reads files that tell of one host and makes a recording of them. Where several tell
// the same table, the one that tells most of it counts.
func Read(ctx context.Context, files []string) (*recording.Recording, Held, error) {
	var all []*told
	logs := logsIn(files)
	files, notes, err := expand(files)
	if err != nil {
		return nil, Held{}, err
	}
	if len(files) > maxFiles {
		return nil, Held{}, fmt.Errorf("reading %d files: at most %d can be put together", len(files), maxFiles)
	}
	var failed error // of the first file that is left out
	for _, f := range files {
		told, err := readFile(ctx, f)
		switch {
		case err != nil && (!ofCollection(f) || ctx.Err() != nil || errors.Is(err, budget.ErrSpent)):
			return nil, Held{}, err
		case err != nil:
			failed, notes = cmp.Or(failed, err), append(notes, leftOutFor(err))
			continue
		}
		all = append(all, told...)
		if err := boundedThings(all); err != nil {
			return nil, Held{}, fmt.Errorf("reading %s: %w", f, err)
		}
	}
	if len(all) == 0 {
		return nil, Held{}, failed
	}
	if err := readLogs(ctx, all, logs); err != nil {
		return nil, Held{}, err
	}
	if all, err = joinTrees(all); err != nil {
		return nil, Held{}, err
	}
	if all, err = joinMySQL(all); err != nil {
		return nil, Held{}, err
	}
	all[0].notes = append(all[0].notes, notes...)
	rec, held, err := together(all)
	if err != nil {
		return nil, held, err
	}
	var note string
	if held.Look, note = oneLook(rec.Manifest().Host.Name, all); note != "" {
		rec.UpdateManifest(func(m *recording.Manifest) { m.Notes = append(m.Notes, note) })
	}
	return rec, held, nil
}

// readFile reads one file: what it tells is one thing, unless it is an archive of several files.
func readFile(ctx context.Context, path string) ([]*told, error) {
	if isUnpacked(path) {
		return readFolder(ctx, path)
	}
	f, err := infile.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("reading a report: %w", err)
	}
	defer f.Close()
	until := time.Now()
	if info, err := f.Stat(); err == nil && sane(info.ModTime()) {
		until = info.ModTime()
	}
	packed := &counted{Reader: f}
	in, done, err := infile.Unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	defer done()
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(in, head)
	head = head[:n]
	in = io.MultiReader(bytes.NewReader(head), in)
	switch {
	case isTar(head):
		return readArchive(ctx, path, packed, in)
	}
	text, err := readText(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if o := otherIn(text); o != nil {
		return nil, o.refuse(path)
	}
	t, err := parseText(ctx, path, text, packed.n < int64(len(text)), until)
	return []*told{t}, err
}

// parseText reads a text, or what sar writes. packed says that the file is not that itself.
func parseText(ctx context.Context, path string, text []byte, packed bool, until time.Time) (*told, error) {
	switch parse := kindOf(text[:min(len(text), headBytes)]); {
	case isSar(text) && packed:
		return readSar(ctx, path, text)
	case isSar(text):
		return readSar(ctx, path, nil)
	case parse == nil:
		return nil, fmt.Errorf("reading %s: it is no report of another tool that is known", path)
	default:
		return parse(path, string(text), until)
	}
}

// readText reads all of a text.
func readText(ctx context.Context, in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(infile.Until(ctx, in), maxText+1))
	switch {
	case err != nil && len(text) == 0, ctx.Err() != nil:
		return nil, err
	case len(text) > maxText:
		return nil, fmt.Errorf("it has more than %v of text; cut out the time that matters", unit.Bytes(maxText))
	case !budget.From(ctx).Take(int64(len(text))):
		return nil, budget.ErrSpent
	}
	return text, nil // one that is cut off is read as far as it goes
}

// together makes one recording of what files tell.
func together(all []*told) (*recording.Recording, Held, error) {
	held := Held{Clock: Untold}
	fail := func(err error) (*recording.Recording, Held, error) { return nil, held, err }
	host, err := hostOf(all)
	if err != nil {
		return fail(err)
	}
	place(all)
	var list []*rows
	var times, notes []string
	var failed error // of the first file that is left out
	for _, t := range all {
		t.host = host
		r := fill(t)
		if !r.last.After(r.first) && !t.once {
			err := fmt.Errorf("reading %s: it holds one report of %s; a rate needs two", t.file, t.tool)
			if !ofCollection(t.file) {
				return fail(err)
			}
			failed, notes = cmp.Or(failed, err), append(append(notes, leftOutFor(err)), t.notes...)
			continue
		}
		list = append(list, r)
		if t.dated {
			held.Clock = min(held.Clock, t.clock)
		}
		// All that is judged together is of one time.
		if held.From.IsZero() || r.first.After(held.From) {
			held.From = r.first
		}
		if held.To.IsZero() || r.last.Before(held.To) {
			held.To = r.last
		}
		times = append(times, fmt.Sprintf("%s %v to %v", t.file, unit.Moment(r.first), unit.Moment(r.last)))
	}
	if len(list) == 0 {
		return fail(failed)
	}
	if !held.To.After(held.From) && !all[0].once { // which is alone
		return fail(fmt.Errorf("reading %d files: they tell of different times: %s", len(list), strings.Join(times[:min(len(times), maxTimes)], ", ")))
	}
	m := recording.Manifest{Format: recording.FormatVersion, Tool: "rtrail " + version.String(), Host: host, Started: held.From, Ended: held.To}
	w := recording.NewWriter(held.From)
	for _, r := range list {
		m.Probes = append(m.Probes, recording.ProbeInfo{Name: r.name(list), Once: r.told.once, Holes: r.holes})
	}
	for _, g := range slices.Concat(givers, mysqlGivers) {
		best := -1
		for i, r := range list {
			if g.count(r) > 0 && (best < 0 || worth(g.table, r) > worth(g.table, list[best])) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		p := &m.Probes[best]
		p.Fills = append(p.Fills, g.table)
		for _, c := range list[best].only[g.table] {
			p.Only = append(p.Only, string(g.table)+"."+c)
		}
		g.give(w, list[best])
		for i, r := range list {
			if i != best && g.count(r) > 0 {
				r.left = append(r.left, string(g.table))
			}
		}
	}
	for i, r := range list {
		recording.Append(w, recording.ProbeRun{At: held.From, Probe: m.Probes[i].Name, Rows: int64(len(r.told.reports))})
		text := r.told.source()
		if len(r.left) > 0 {
			text += "; left out, as another file tells more of it: " + strings.Join(r.left, ", ")
		}
		notes = append(append(notes, text), r.told.notes...)
	}
	for _, t := range all {
		told, note := t.kernelLog(w, held.Window)
		if told {
			m.Probes = append(m.Probes, recording.ProbeInfo{Name: logProbe, Fills: []recording.Table{recording.KernelLog}})
		}
		if note != "" {
			notes = append(notes, note)
		}
		if told {
			break // that of another archive is the same
		}
	}
	m.Notes = notes
	m.Probes = append(m.Probes, untold(m.Probes)...)
	rec := recording.New(m)
	return rec, held, rec.Commit(w)
}

// untold stands for all that rtrail itself sees of a host and these reports do not tell, so that
// the rules which need it are listed as not judged.
func untold(told []recording.ProbeInfo) (not []recording.ProbeInfo) {
	host := recording.ProbeInfo{Name: "rtrail on that host", Remedy: "watch the host itself: rtrail record -o DIR"}
	server := recording.ProbeInfo{Name: "rtrail beside that server", Remedy: "watch the server itself: rtrail record --mysql HOST -o DIR"}
	ofServer := false
	for _, t := range recording.AllTables() {
		filled := slices.ContainsFunc(told, func(p recording.ProbeInfo) bool { return slices.Contains(p.Fills, t) })
		ofMySQL := strings.HasPrefix(string(t), "mysql") && t != recording.MySQLSlowLog
		switch {
		case filled:
			ofServer = ofServer || ofMySQL
		case recording.OfCaptures(t) || t == recording.MySQLSlowLog:
		case ofMySQL, strings.HasPrefix(string(t), "stack"):
			server.Fills = append(server.Fills, t)
		default:
			host.Fills = append(host.Fills, t)
		}
	}
	if not = append(not, host); ofServer {
		not = append(not, server)
	}
	return not
}

// giver moves the rows of a table.
type giver struct {
	table recording.Table
	count func(*rows) int
	give  func(*recording.Writer, *rows)
}

var givers = []giver{
	{recording.CPUs, func(r *rows) int { return len(r.cpus) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.cpus) }},
	{recording.System, func(r *rows) int { return len(r.system) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.system) }},
	{recording.Pressure, func(r *rows) int { return len(r.pressure) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.pressure) }},
	{recording.Memory, func(r *rows) int { return len(r.memory) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.memory) }},
	{recording.VMStat, func(r *rows) int { return len(r.vmstat) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.vmstat) }},
	{recording.Disks, func(r *rows) int { return len(r.disks) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.disks) }},
	{recording.NetDevices, func(r *rows) int { return len(r.net) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.net) }},
	{recording.SoftIRQs, func(r *rows) int { return len(r.softirqs) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.softirqs) }},
	{recording.Protocol, func(r *rows) int { return len(r.protocol) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.protocol) }},
	{recording.Conntrack, func(r *rows) int { return len(r.conntrack) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.conntrack) }},
	{recording.Mounts, func(r *rows) int { return len(r.mounts) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.mounts) }},
	{recording.Sysctls, func(r *rows) int { return len(r.sysctls) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.sysctls) }},
	{recording.Softnet, func(r *rows) int { return len(r.softnet) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.softnet) }},
	{recording.Swaps, func(r *rows) int { return len(r.swaps) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.swaps) }},
	{recording.Zones, func(r *rows) int { return len(r.zones) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.zones) }},
	{recording.Interrupts, func(r *rows) int { return len(r.interrupts) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.interrupts) }},
	{recording.Limits, func(r *rows) int { return len(r.limits) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.limits) }},
	{recording.Cgroups, func(r *rows) int { return len(r.groups) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.groups) }},
	{recording.Processes, func(r *rows) int { return len(r.processes) }, func(w *recording.Writer, r *rows) { recording.Give(w, r.processes) }},
}

// worth is how much a source tells of a table: by its columns, and who tells how long
// processes waited for a CPU, or which tasks wait, before all others.
func worth(t recording.Table, r *rows) int {
	n := len(r.only[t])
	if r.told.whole != nil {
		n += 1000 // counters themselves
	}
	if t == recording.CPUs && slices.ContainsFunc(r.cpus, func(c recording.CPUSample) bool { return c.CPU >= 0 }) {
		n += 100 // each by itself
	}
	if slices.Contains(r.only[t], "run_delay_ns") || slices.Contains(r.only[t], "running") {
		n += 100
	}
	return n
}

// name is that of the tool, with its file where several are of one tool.
func (r *rows) name(all []*rows) string {
	for _, o := range all {
		if o != r && o.told.tool == r.told.tool {
			return r.told.tool + " in " + filepath.Base(r.told.file)
		}
	}
	return r.told.tool
}

// source says what was read, of whom, of which time, and how finely.
func (t *told) source() string {
	first, last := t.reports[0].at, t.reports[len(t.reports)-1].at
	text := fmt.Sprintf("%s: %s", t.file, t.tool)
	if t.host.Name != "" {
		text += " of host " + t.host.Name
	}
	if t.once {
		return text + fmt.Sprintf(", one look, %s: levels are judged, and no rates; take a second one some seconds later and give both", unit.Moment(first))
	}
	text += fmt.Sprintf(", %s to %s, a report each %v", unit.Moment(first), unit.Moment(last), unit.Duration(spacing(t.reports)))
	if !t.dated {
		text += "; the text has no times: one a second is assumed"
	}
	return text
}

// hostOf is whose texts they are; an error if they are of several hosts.
func hostOf(all []*told) (host recording.Host, err error) {
	for _, t := range all {
		if host.Name != "" && t.host.Name != "" && host.Name != t.host.Name {
			return host, fmt.Errorf("reading %s: it is of host %s, others are of %s; judge one host at a time", t.file, t.host.Name, host.Name)
		}
		host.Name, host.Kernel, host.Arch = cmp.Or(host.Name, t.host.Name), cmp.Or(host.Kernel, t.host.Kernel), cmp.Or(host.Arch, t.host.Arch)
		host.CPUs = max(host.CPUs, t.host.CPUs)
	}
	return host, nil
}
