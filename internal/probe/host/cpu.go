package host

import (
	"bytes"
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// tick is the unit of the CPU times in /proc/stat, USER_HZ, which is 100 on
// every architecture Go runs Linux on, whatever CONFIG_HZ is.
const tick = time.Second / 100

// cpu reads /proc/stat (kernel fs/proc/stat.c) and, for the totals beside it,
// /proc/loadavg and /proc/sys/fs/file-nr.
type cpu struct {
	stat   procfile.File
	system system
	rows   []recording.CPUSample
}

func newCPU(fs FS) *cpu {
	return &cpu{stat: fs.file("proc/stat"), system: newSystem(fs)}
}

func (c *cpu) read(w *recording.Writer, _ bool) error {
	b, err := c.stat.Read()
	if err != nil {
		return err
	}
	at := time.Now()
	var totals recording.SystemSample
	c.rows, totals, err = parseStat(c.rows[:0], at, b)
	recording.Append(w, c.rows...)
	c.system.read(&totals)
	recording.Append(w, totals)
	return err
}

// parseStat appends a row per CPU line. Columns the kernel does not have yet
// (steal before 2.6.11, guest before 2.6.24) are 0.
func parseStat(rows []recording.CPUSample, at time.Time, b []byte) ([]recording.CPUSample, recording.SystemSample, error) {
	totals := recording.SystemSample{
		At: at, Running: recording.Unknown, Blocked: recording.Unknown,
		Tasks: recording.Unknown, FilesOpen: recording.Unknown, FilesMax: recording.Unknown,
	}
	var bad error
	for line := range procfile.Lines(b) {
		key, rest := procfile.Field(line)
		if number, ok := bytes.CutPrefix(key, []byte("cpu")); ok {
			row, err := parseCPU(number, rest)
			if err != nil {
				bad = err
				continue
			}
			row.At = at
			rows = append(rows, row)
			continue
		}
		value, _, ok := procfile.NextUint(rest)
		if !ok {
			continue
		}
		switch string(key) {
		case "intr":
			totals.Interrupts = value
		case "ctxt":
			totals.ContextSwitches = value
		case "processes":
			totals.Forks = value
		case "procs_running":
			totals.Running = int64(value)
		case "procs_blocked":
			totals.Blocked = int64(value)
		}
	}
	if bad == nil && len(rows) == 0 {
		bad = fmt.Errorf("no CPU lines in /proc/stat")
	}
	return rows, totals, bad
}

func parseCPU(number, b []byte) (recording.CPUSample, error) {
	row := recording.CPUSample{CPU: -1}
	if len(number) > 0 {
		n, ok := procfile.Uint(number)
		if !ok || n > 1<<20 {
			return row, fmt.Errorf("CPU number %q in /proc/stat", number)
		}
		row.CPU = int32(n)
	}
	columns := [...]*time.Duration{
		&row.User, &row.Nice, &row.System, &row.Idle, &row.IOWait,
		&row.IRQ, &row.SoftIRQ, &row.Steal,
	}
	for i, column := range columns {
		var ticks uint64
		var ok bool
		ticks, b, ok = procfile.NextUint(b)
		if !ok {
			if i < 4 {
				return row, fmt.Errorf("%d of at least 4 times of CPU %d in /proc/stat", i, row.CPU)
			}
			break
		}
		*column = procfile.Duration(ticks, tick)
	}
	return row, nil
}
