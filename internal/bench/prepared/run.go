package prepared

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/document"
	"rtrail/internal/mysqlconn"
)

// Bench measures a plan.
type Bench struct {
	Plan
	Target  string // for people
	Driver  string
	Connect func(ctx context.Context) (Conn, error)
	// Profile begins to look at what a process of this host runs; its answer ends that. nil:
	// none is taken, for the reason Unprofiled.
	Profile    func(ctx context.Context, pid int32) (end func() (*Profile, error))
	Unprofiled string
	Say        func(format string, args ...any) // before and after what changes the server
	// Left gets what would be left changed if the program ended now, with how to put it back; ""
	// if nothing.
	Left func(words string)

	own func() time.Duration // CPU time of this program; nil: as the kernel says
}

type changed struct{ table, logs bool }

type bench struct {
	*Bench
	result    *Result
	changed   changed
	maxPacket int
	control   Conn
}

// Run measures, and gives what was measured also with an error. What it changed on the server is
// put back before it returns.
func (o *Bench) Run(ctx context.Context) (result *Result, err error) {
	b := bench{Bench: o, result: &Result{Format: format, Target: o.Target, Table: o.Database + "." + Table, Began: time.Now(), Driver: o.Driver, Markers: o.Markers, Rounds: o.Plan.Rounds,
		toggles: o.ToggleLogs, unprofiled: o.Unprofiled, Settings: []Setting{}, Cells: []Cell{}, LeftOut: []LeftOut{}, Notes: []string{}}}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.own == nil {
		o.own = usedCPU
	}
	if b.control, err = b.connect(ctx); err != nil {
		return nil, err
	}
	defer func() { b.control.Close() }()
	short, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	if err := b.settings(short, b.control); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, b.restore(ctx))
		b.result.interrupted = ctx.Err() != nil
		b.result.judge()
	}()
	if err := b.create(short, b.control); err != nil {
		return b.result, err
	}
	whole, cancel := context.WithTimeout(ctx, o.MaxTime)
	defer cancel()
	return b.result, b.cells(whole)
}

func (b *bench) connect(ctx context.Context) (Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	return b.Connect(ctx)
}

// logs are the settings of the logs to measure.
func (b *bench) logs() []Logs {
	if !b.ToggleLogs {
		return []Logs{b.result.now}
	}
	return []Logs{{}, {Slow: true}, {General: true}, {Slow: true, General: true}}
}

// cells measures all cells, as long as there is time.
func (b *bench) cells(ctx context.Context) error {
	if b.ToggleLogs {
		b.Say("switching slow_query_log and general_log (now %s and %s) for all clients of the server; they are as before at the end.\n"+
			"Meanwhile up to %d MiB of these statements are logged, and those of other clients, too", onOff(b.result.now.Slow), onOff(b.result.now.General), b.logged()>>20)
	}
	for _, logs := range b.logs() {
		if b.ToggleLogs && ctx.Err() == nil {
			short, cancel := context.WithTimeout(ctx, asking)
			err := b.toggle(short, b.control, logs)
			cancel()
			if err != nil {
				return err
			}
		}
		for _, spaces := range b.Spaces {
			for _, mode := range modes {
				if err := b.measure(ctx, Cell{Mode: mode, Spaces: spaces, Logs: logs}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b *bench) leaveOut(c *Cell, why string) {
	b.result.LeftOut = append(b.result.LeftOut, LeftOut{c.Mode, c.Spaces, c.Logs, why})
}

// measure measures a cell, or leaves it out.
func (b *bench) measure(ctx context.Context, c Cell) error {
	nan := document.Number(math.NaN())
	c.Prepare, c.Total, c.Mean, c.Own, c.Rounds = nan, nan, nan, nan, []Round{}
	c.SQL = len(b.marked(c.Spaces))
	c.Sent = len(b.filled(c.Spaces, 0))
	longest := c.Sent
	if c.Mode == ServerSide {
		c.Sent, longest = b.Markers*8, max(c.SQL, b.Markers*10) // values, and their types
	}
	switch {
	case ctx.Err() != nil:
		b.leaveOut(&c, "no time is left: "+b.ended(ctx))
		return nil
	case longest+64 > b.maxPacket:
		b.leaveOut(&c, fmt.Sprintf("a packet of %d bytes is above max_allowed_packet, %d", longest, b.maxPacket))
		return nil
	}
	b.Say("%s, %d blanks, %d bytes, %s", c.Mode, c.Spaces, c.SQL, c.Logs)
	conn, err := b.connect(ctx)
	if err != nil {
		if ctx.Err() != nil {
			b.leaveOut(&c, "no time is left: "+b.ended(ctx))
			return nil
		}
		return err
	}
	defer conn.Close()
	short, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	r, err := conn.Query(short, "SELECT CONNECTION_ID()")
	if err != nil {
		return err
	}
	id := int64(-1)
	if r.Len() == 1 {
		id, _ = strconv.ParseInt(r.Row(0).At(0), 10, 64)
	}
	c.PreparedBefore, c.PreparedAfter = prepares(short, conn), -1
	end := func() (*Profile, error) { return nil, nil }
	if pid := conn.PID(); pid > 0 && b.Profile != nil {
		end = b.Profile(ctx, pid)
	} else if b.Profile != nil {
		b.result.unprofiled = "the server is not on this host"
	}
	err = b.rounds(ctx, conn, &c)
	profile, perr := end()
	if c.Profile = profile; perr != nil {
		b.result.unprofiled = perr.Error()
	}
	if err != nil {
		kind, _ := mysqlconn.Classify(err)
		c.Failed, c.timedOut = b.why(ctx, err), kind == mysqlconn.Timeout && ctx.Err() == nil
	} else {
		short, cancel := context.WithTimeout(ctx, asking)
		c.PreparedAfter = prepares(short, conn)
		cancel()
	}
	b.result.Cells = append(b.result.Cells, c)
	if kind, _ := mysqlconn.Classify(err); err != nil && (kind == mysqlconn.Timeout || ctx.Err() != nil) {
		return b.end(ctx, id)
	} else if kind == mysqlconn.Gone || kind == mysqlconn.NotMySQL {
		return fmt.Errorf("measure %s with %d blanks: %w", c.Mode, c.Spaces, err)
	}
	return nil
}

// rounds prepares and executes. Texts and values are made before the clock runs.
func (b *bench) rounds(ctx context.Context, conn Conn, c *Cell) error {
	var statement Statement
	if c.Mode == ServerSide {
		marked := string(b.marked(c.Spaces))
		limit, cancel := context.WithTimeout(ctx, b.Timeout)
		began := time.Now()
		s, err := conn.Prepare(limit, marked)
		took := time.Since(began)
		cancel()
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		statement, c.Prepare = s, ms(took)
	}
	var own time.Duration
	defer func() { c.sum(own) }()
	for round := range b.Plan.Rounds {
		var ask func(ctx context.Context) (rows int, err error)
		if statement == nil {
			filled := string(b.filled(c.Spaces, round))
			ask = func(ctx context.Context) (int, error) {
				r, err := conn.Query(ctx, filled)
				if err != nil {
					return 0, err
				}
				return r.Len() + r.Cut, nil
			}
		} else {
			values := b.values(round)
			ask = func(ctx context.Context) (int, error) { return statement.Execute(ctx, values) }
		}
		runtime.GC() // not while the clock runs
		limit, cancel := context.WithTimeout(ctx, b.Timeout)
		used, began := b.own(), time.Now()
		rows, err := ask(limit)
		took := time.Since(began)
		own += b.own() - used
		cancel()
		if err != nil {
			return fmt.Errorf("execute: %w", err)
		}
		c.Rounds = append(c.Rounds, Round{ms(took), rows})
	}
	return nil
}

// usedCPU is the CPU time of this program.
func usedCPU() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// ended says why there is no time any more.
func (b *bench) ended(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "--max-time " + b.MaxTime.String() + " is over"
	}
	return "interrupted"
}

// why says why a cell lacks rounds.
func (b *bench) why(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return b.ended(ctx)
	}
	if kind, _ := mysqlconn.Classify(err); kind == mysqlconn.Timeout {
		return "not within --timeout " + b.Timeout.String()
	}
	return mysqlconn.Text(err)
}

// end kills what a session of ours still runs, and waits until it has ended: a server builds the
// text of a statement to its end, and would slow what is measured next.
func (b *bench) end(ctx context.Context, id int64) error {
	if id < 0 {
		return nil
	}
	began, over := time.Now(), ctx.Err() != nil // nothing more is measured
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(asking, b.Timeout))
	defer cancel()
	control, err := b.Connect(ctx)
	if err != nil {
		return fmt.Errorf("end a statement that took too long: %w", err)
	}
	b.control.Close()
	b.control = control                                   // the other may be cut
	_, _ = control.Query(ctx, fmt.Sprintf("KILL %d", id)) // that it has ended already is no fault
	if over {
		return nil
	}
	if err := b.lock(ctx, control); err != nil {
		return err
	}
	for {
		r, err := control.Query(ctx, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = %d", id))
		if err == nil && r.Len() == 1 && r.Row(0).At(0) == "0" {
			return nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("connection %d of the server goes on %v after it was killed: it ends by itself, and what is measured meanwhile would be slower", id, time.Since(began).Round(time.Second))
		}
		if err != nil {
			return fmt.Errorf("wait for the end of a statement: %w", err)
		}
	}
}
