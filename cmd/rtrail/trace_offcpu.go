package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/offcpu"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// offCPUTrace prints tables of how long threads did not run.
type offCPUTrace struct {
	*traceJob
	out io.Writer
	all []recording.OffCPUWait // of the run, bounded
	cut bool                   // there was more than is kept
}

func newOffCPUTrace(j *traceJob, out io.Writer) *offCPUTrace {
	return &offCPUTrace{traceJob: j, out: out}
}

func (t *offCPUTrace) source() event.Source { return offcpu.New(t.interval) }

// maxOffCPURows bounds what is kept for the last table.
const maxOffCPURows = 200_000

func (t *offCPUTrace) sample(rec *recording.Recording) error {
	rows := recording.Rows[recording.OffCPUWait](rec)
	if len(rows) == 0 {
		return nil
	}
	var wanted []recording.OffCPUWait
	for _, r := range rows {
		if t.wants(r.PID, r.Process, r.Thread) {
			wanted = append(wanted, r)
		}
	}
	if len(t.all)+len(wanted) <= maxOffCPURows {
		t.all = append(t.all, wanted...)
	} else {
		t.cut = true
	}
	return t.print(rows[0].At.Local().Format("15:04:05"), wanted)
}

// end prints the sums of the run, if there was more than one table.
func (t *offCPUTrace) end() error {
	if len(t.all) == 0 || t.all[0].At.Equal(t.all[len(t.all)-1].At) || t.json {
		return nil
	}
	title := "the whole run"
	if t.cut {
		title = fmt.Sprintf("the first %d rows of the run", maxOffCPURows)
	}
	return t.print(title, t.all)
}

var offCPUColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "thread", Drop: 3}, {Name: "state"}, {Name: "s/s", Right: true}, {Name: "waits/s", Right: true, Drop: 2},
	{Name: "longest", Right: true, Drop: 1}, {Name: "waits for"}, {Name: "woken by", Drop: 4},
}

func (t *offCPUTrace) print(title string, rows []recording.OffCPUWait) error {
	sums := view.SumOffCPU(rows)
	kept := sums[:0]
	for _, o := range sums {
		if o.Waited >= t.least {
			kept = append(kept, o)
		}
	}
	if t.json {
		for i := range kept {
			if err := document.JSONLine(t.out, offCPULine(rows[0].At, &kept[i])); err != nil {
				return err
			}
		}
		return nil
	}
	table := document.Table{Title: title, Columns: offCPUColumns}
	if n := len(kept) - t.top; t.top > 0 && n > 0 {
		kept = kept[:t.top]
		table.More = fmt.Sprintf("and %d more: --top", n)
	}
	for i := range kept {
		table.Rows = append(table.Rows, offCPUCells(&kept[i]))
	}
	return document.Terminal(t.out, document.Document{Blocks: []document.Block{table}}, terminalOptions(t.out))
}

func offCPUCells(o *view.OffCPU) []string {
	perSecond := ""
	if o.Waits > 0 && o.Mean > 0 {
		perSecond = fmt.Sprintf("%.1f", o.Waits*o.Mean/o.Waited.Seconds())
	}
	longest := ""
	if o.Longest > 0 {
		longest = milliseconds(o.Longest)
	}
	thread := o.Thread
	if o.Threads > 1 {
		thread += fmt.Sprintf(" ×%d", o.Threads)
	}
	return []string{o.Process, strconv.Itoa(int(o.PID)), thread, o.State, fmt.Sprintf("%.3f", o.Mean), perSecond, longest, o.For(), o.EndedBy()}
}

// tracedWait is the JSON form of a sum.
type tracedWait struct {
	At        time.Time `json:"at"`
	Process   string    `json:"process"`
	PID       int32     `json:"pid"`
	Thread    string    `json:"thread"`
	Threads   int       `json:"threads"`
	State     string    `json:"state"`
	Seconds   float64   `json:"seconds"`
	PerSecond float64   `json:"seconds_per_second"`
	Waits     float64   `json:"waits"`
	Longest   float64   `json:"longest_seconds"`
	Stack     []string  `json:"stack,omitempty"`
	Waker     string    `json:"waker,omitempty"`
	WakerPID  int32     `json:"waker_pid,omitempty"`
	WakerIn   string    `json:"waker_in,omitempty"`
	Interrupt string    `json:"interrupt,omitempty"`
}

func offCPULine(at time.Time, o *view.OffCPU) tracedWait {
	l := tracedWait{At: at, Process: o.Process, PID: o.PID, Thread: o.Thread, Threads: o.Threads, State: o.State, Seconds: o.Waited.Seconds(), PerSecond: o.Mean,
		Waits: o.Waits, Longest: o.Longest.Seconds(), Waker: o.Waker, WakerPID: o.WakerPID, WakerIn: o.WakerIn, Interrupt: o.Interrupt}
	if o.Stack != "" {
		l.Stack = strings.Split(o.Stack, ";")
	}
	return l
}
