package imported

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/unit"
	"rtrail/internal/view"
)

const (
	// sadfTime bounds a run of sadf: a day of a host with 100 CPUs takes it two seconds.
	sadfTime = time.Minute
	// sadfWait is how long its output may stay open after it was ended.
	sadfWait = time.Second
	// maxSadfReport bounds a report: one of a host with 1,000 CPUs and disks has 400 kB.
	maxSadfReport = 4 << 20
)

// sadfAsked are what sadf is asked for, the newest form first: releases differ in what -q takes.
var sadfAsked = [][]string{
	{"-u", "ALL", "-P", "ALL", "-w", "-q", "ALL", "-r", "-S", "-W", "-B", "-d", "-p", "-n", "DEV,EDEV,SOFT"},
	{"-u", "ALL", "-P", "ALL", "-w", "-q", "-r", "-S", "-W", "-B", "-d", "-p", "-n", "DEV,EDEV"},
}

// Sadf is where the program lies that reads sar's binary files; "": it is not installed.
func Sadf() string {
	path, err := exec.LookPath("sadf")
	if err != nil {
		return ""
	}
	return path
}

// isSar says that a file is one that sar writes: it begins with STATS_MAGIC_SA (sysstat, sa.h).
func isSar(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x96, 0xd5}) || bytes.HasPrefix(head, []byte{0xd5, 0x96})
}

// readSar has sadf read a binary file of sar; held is what is in it if that lies in an archive,
// or is packed.
func readSar(ctx context.Context, path string, held []byte) (*told, error) {
	sadf := Sadf()
	if sadf == "" {
		return nil, fmt.Errorf("reading %s: it is a binary file of sar, which sadf reads: install sysstat, or run sadf -j FILE -- -A > sar.json where it is and give that file", path)
	}
	ctx, cancel := context.WithTimeout(ctx, sadfTime)
	defer cancel()
	name := path
	if !filepath.IsAbs(path) {
		name = "./" + path // is no option, whatever it begins with
	}
	var memory *os.File
	if held != nil {
		var err error
		if memory, err = inMemory(held); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		defer memory.Close()
		name = "/proc/self/fd/3" // the first of ExtraFiles
	}
	var failed error
	for _, asked := range sadfAsked {
		text, err := runSadf(ctx, sadf, memory, append([]string{"-j", name, "--"}, asked...))
		if err == nil {
			return parseSadf(path, text, time.Time{})
		}
		failed = err
	}
	return nil, fmt.Errorf("reading %s: %w; sadf of another release may read it: run sadf -j FILE -- -A > sar.json on the host where it was made, and give that file", path, failed)
}

// inMemory makes a file that lies on no disk.
func inMemory(content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("sar", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "sar")
	if _, err := f.Write(content); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// runSadf runs it without a shell; its answer is bounded.
func runSadf(ctx context.Context, sadf string, memory *os.File, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, sadf, args...)
	if memory != nil {
		cmd.ExtraFiles = []*os.File{memory}
	}
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	cmd.WaitDelay = sadfWait
	out, problems := &bounded{max: maxText}, &bounded{max: 1 << 10}
	cmd.Stdout, cmd.Stderr = out, problems
	switch err := cmd.Run(); {
	case out.over:
		return "", fmt.Errorf("sadf printed more than %d MB", maxText>>20)
	case err != nil && ctx.Err() != nil:
		return "", errors.New("sadf took too long")
	case err != nil:
		return "", fmt.Errorf("sadf: %w %s", err, strings.Join(strings.Fields(problems.String()), " "))
	}
	return out.String(), nil
}

// bounded keeps the beginning of an output.
type bounded struct {
	bytes.Buffer
	max  int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if n := b.max - b.Len(); len(p) > n {
		b.over = true
		b.Buffer.Write(p[:max(n, 0)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// isSadf says that a text is what sadf -j prints.
func isSadf(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return bytes.HasPrefix(head, []byte(`"sysstat"`))
}

// sadfReport is one entry of "statistics".
type sadfReport struct {
	Timestamp struct {
		Date, Time string
		UTC        any     `json:"utc"` // before 12.7.6
		Zone       string  `json:"tz"`
		Interval   float64 `json:"interval"`
	} `json:"timestamp"`
	CPU     []map[string]any `json:"cpu-load"`
	CPUAll  []map[string]any `json:"cpu-load-all"` // releases before 12
	Forks   map[string]any   `json:"process-and-context-switch"`
	Swap    map[string]any   `json:"swap-pages"`
	Paging  map[string]any   `json:"paging"`
	Memory  map[string]any   `json:"memory"`
	Queue   map[string]any   `json:"queue"`
	Disks   []map[string]any `json:"disk"`
	Network struct {
		Devices  []map[string]any `json:"net-dev"`
		Errors   []map[string]any `json:"net-edev"`
		Backlogs []map[string]any `json:"softnet"`
	} `json:"network"`
	PSI struct {
		CPU    map[string]any `json:"psi-cpu"`
		IO     map[string]any `json:"psi-io"`
		Memory map[string]any `json:"psi-mem"`
	} `json:"psi"`
}

// sadfColumns is a table of sadf with the names that sar's text has for its columns.
type sadfColumns struct {
	key   string
	names []string // of sadf
	*header
}

func columnsOf(key, keyColumn string, pairs ...string) sadfColumns {
	c := sadfColumns{key: key}
	var names []string
	if key != "" {
		names, c.names = append(names, keyColumn), append(c.names, key)
	}
	for i := 0; i < len(pairs); i += 2 {
		c.names, names = append(c.names, pairs[i]), append(names, pairs[i+1])
	}
	c.header = newHeader(names)
	return c
}

var (
	sadfCPU = columnsOf("cpu", "CPU", "usr", "%usr", "user", "%user", "nice", "%nice", "sys", "%sys", "system", "%system", "iowait", "%iowait", "irq", "%irq",
		"soft", "%soft", "steal", "%steal", "guest", "%guest", "gnice", "%gnice", "idle", "%idle")
	sadfForks  = columnsOf("", "", "proc", "proc/s", "cswch", "cswch/s")
	sadfSwap   = columnsOf("", "", "pswpin", "pswpin/s", "pswpout", "pswpout/s")
	sadfPaging = columnsOf("", "", "pgpgin", "pgpgin/s", "pgpgout", "pgpgout/s", "fault", "fault/s", "majflt", "majflt/s")
	sadfMemory = columnsOf("", "", "memfree", "kbmemfree", "avail", "kbavail", "memused", "kbmemused", "memused-percent", "%memused", "swpfree", "kbswpfree", "swpused", "kbswpused")
	sadfQueue  = columnsOf("", "", "runq-sz", "runq-sz", "plist-sz", "plist-sz", "ldavg-1", "ldavg-1", "ldavg-5", "ldavg-5", "ldavg-15", "ldavg-15", "blocked", "blocked")
	sadfDisk   = columnsOf("disk-device", "DEV", "tps", "tps", "rkB", "rkB/s", "wkB", "wkB/s", "rd_sec", "rd_sec/s", "wr_sec", "wr_sec/s",
		"aqu-sz", "aqu-sz", "avgqu-sz", "avgqu-sz", "await", "await", "util-percent", "%util")
	sadfNet       = columnsOf("iface", "IFACE", "rxpck", "rxpck/s", "txpck", "txpck/s", "rxkB", "rxkB/s", "txkB", "txkB/s")
	sadfNetErrors = columnsOf("iface", "IFACE", "rxerr", "rxerr/s", "txerr", "txerr/s", "coll", "coll/s", "rxdrop", "rxdrop/s", "txdrop", "txdrop/s",
		"txcarr", "txcarr/s", "rxfifo", "rxfifo/s", "txfifo", "txfifo/s")
	sadfBacklog   = columnsOf("cpu", "CPU", "total", "total/s", "dropd", "dropd/s", "squeezd", "squeezd/s")
	sadfPSICPU    = columnsOf("", "", "some_avg", "%scpu")
	sadfPSIIO     = columnsOf("", "", "some_avg", "%sio", "full_avg", "%fio")
	sadfPSIMemory = columnsOf("", "", "some_avg", "%smem", "full_avg", "%fmem")
)

// row takes the columns of an object; what it lacks is not known.
func (c sadfColumns) row(object map[string]any) row {
	r := row{values: make([]float64, len(c.names))}
	for i, n := range c.names {
		r.values[i] = view.Unknown
		switch v := object[n].(type) {
		case float64:
			if v >= 0 && v <= most(c.header.names[i]) {
				r.values[i] = v
			}
		case string:
			if n == c.key && len(v) <= maxKey {
				r.key = v
			}
		}
	}
	return r
}

// parseSadf reads what sadf -j prints. One that is cut off is read as far as it goes.
func parseSadf(file, text string, _ time.Time) (*told, error) {
	t := &told{tool: "sar", file: file, dated: true}
	lines := lineReader{}
	d := json.NewDecoder(strings.NewReader(text))
	err := sadfHosts(d, t, &lines)
	t.host.Name, t.host.Kernel, t.host.Arch = clip(t.host.Name), clip(t.host.Kernel), clip(t.host.Arch)
	if err != nil && len(t.reports) < 2 {
		return nil, fmt.Errorf("reading %s as the JSON of sadf: %w", file, err)
	}
	if err != nil {
		t.note("%s: it is damaged or cut off after its report of %s", file, t.reports[len(t.reports)-1].at.Format(time.DateTime))
	}
	return t, lines.check(t)
}

// local notes that times are taken as local, also those of a zone that they name.
func (t *told) local(zone string) {
	if t.clock != Local && zone != "" {
		t.note("%s: times of %.40q are taken as local: TZ=Area/City before rtrail sets another time zone", t.file, zone)
	}
	t.clock = Local
}

// sadfHosts reads the first host.
func sadfHosts(d *json.Decoder, t *told, lines *lineReader) error {
	return walk(d, func(word json.Token) (done bool, err error) {
		switch word {
		case "nodename":
			err = d.Decode(&t.host.Name)
		case "release":
			err = d.Decode(&t.host.Kernel)
		case "machine":
			err = d.Decode(&t.host.Arch)
		case "number-of-cpus":
			err = d.Decode(&t.host.CPUs)
			t.host.CPUs = min(max(t.host.CPUs, 0), 1<<16)
		case "statistics":
			return true, sadfStatistics(d, t, lines)
		}
		return false, err
	})
}

func sadfStatistics(d *json.Decoder, t *told, lines *lineReader) error {
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errors.New("its statistics are no list")
	}
	early := 0
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if len(raw) > maxSadfReport {
			return fmt.Errorf("report %d has more than %v", len(t.reports)+1, unit.Bytes(maxSadfReport))
		}
		var s sadfReport
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		zone, known := zoneOf(s.Timestamp.Zone)
		if u := fmt.Sprint(s.Timestamp.UTC); u == "1" || u == "true" {
			zone, known = time.UTC, true
		}
		if !known {
			t.local(s.Timestamp.Zone)
		}
		at, err := time.ParseInLocation(time.DateTime, s.Timestamp.Date+" "+s.Timestamp.Time, zone)
		if err != nil || !sane(at) {
			return fmt.Errorf("a report has the time %.40q", s.Timestamp.Date+" "+s.Timestamp.Time)
		}
		at = at.Local()
		if n := len(t.reports); n > 0 && !at.After(t.reports[n-1].at) {
			early++
			continue
		}
		r := report{at: at}
		if s.Timestamp.Interval > 0 && s.Timestamp.Interval < 1e6 {
			r.began = at.Add(-time.Duration(s.Timestamp.Interval * float64(time.Second)))
		}
		if n := len(t.reports); n > 0 && r.began.Before(t.reports[n-1].at) {
			r.began = t.reports[n-1].at
		}
		s.into(&r, lines)
		t.reports = append(t.reports, r)
	}
	t.setBack(early)
	return nil
}

// into adds the tables to a report.
func (s *sadfReport) into(r *report, lines *lineReader) {
	many := func(c sadfColumns, objects []map[string]any) {
		for _, o := range objects {
			if lines.room() {
				r.add(c.header, c.row(o))
			}
		}
	}
	many(sadfCPU, s.CPU)
	if len(s.CPU) == 0 {
		many(sadfCPU, s.CPUAll)
	}
	many(sadfDisk, s.Disks)
	many(sadfNet, s.Network.Devices)
	many(sadfNetErrors, s.Network.Errors)
	many(sadfBacklog, s.Network.Backlogs)
	for _, one := range []struct {
		columns sadfColumns
		object  map[string]any
	}{{sadfForks, s.Forks}, {sadfSwap, s.Swap}, {sadfPaging, s.Paging}, {sadfMemory, s.Memory}, {sadfQueue, s.Queue},
		{sadfPSICPU, s.PSI.CPU}, {sadfPSIIO, s.PSI.IO}, {sadfPSIMemory, s.PSI.Memory}} {
		if one.object != nil {
			many(one.columns, []map[string]any{one.object})
		}
	}
}
