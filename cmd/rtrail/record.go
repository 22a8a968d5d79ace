package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

// withoutEnd is how long a recording runs that only Ctrl-C ends.
const withoutEnd = 100 * 365 * 24 * time.Hour

// recordJob is what `rtrail record` was asked to do.
type recordJob struct {
	dir      string
	length   time.Duration
	interval time.Duration
	maxSize  byteSize
	packets  captureFlags
	mysql    mysqlFlags
	events   eventFlags
	watch    bool // also judge while recording
	night    nightWatch
	unit     bool // print the unit of a recorder that starts at boot

	lengthGiven bool
}

func newRecordCommand() *cobra.Command {
	r := recordJob{maxSize: 2 << 30}
	cmd := &cobra.Command{
		Use:   "record -o DIR",
		Short: "Record this host to look at any moment later",
		Long: `Records this host into a directory until Ctrl-C, or for a given time. When the
directory reaches its size limit or the disk is full, the oldest ten minutes are
deleted. After a stop, a kill or a power loss, start record again with the same
directory to continue. Root records only where nobody else can write.

With -i packets are captured, too. Requests, response times, losses and
connections are added up every ten seconds; the packets are not kept.

--watch also judges what is recorded, as "rtrail watch" does: a line on standard
output, and a notice to whoever --notify names, when a fault begins and ends.

Then "rtrail replay DIR" shows what happened when, "rtrail diagnose DIR --at
03:00" judges a moment, and "rtrail pack DIR" makes one file to send. The tables
are Parquet files for DuckDB, pandas and others.`,
		Example: `  sudo rtrail record -o /var/log/rtrail
  sudo rtrail record -o night --for 8h --max-size 500MiB
  sudo rtrail record -o night --mysql auto
  sudo rtrail record -o night -i eth0 -p 80,3306
  sudo rtrail record -o /var/log/rtrail --watch --notify https://chat.example/hook
  rtrail record --print-unit | sudo tee /etc/systemd/system/rtrail.service`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case r.unit && cmd.Flags().NFlag() > 1:
				return usageError("--print-unit prints the unit as it is: give it alone, and change what it prints")
			case r.unit:
				_, err := io.WriteString(cmd.OutOrStdout(), bootUnit)
				return err
			}
			r.lengthGiven = cmd.Flags().Changed("for")
			for _, name := range []string{"every", "window", "notify", "state"} {
				if !r.watch && cmd.Flags().Changed(name) {
					return usageError("--%s says how to watch: it needs --watch", name)
				}
			}
			if !r.watch && cmd.Flags().Changed("threshold") {
				return usageError("--threshold: record judges nothing without --watch; add that, or give --threshold to diagnose, timeline or replay when they judge the recording")
			}
			return r.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&r.dir, "output", "o", "", "directory to record into (required)")
	f.DurationVar(&r.length, "for", 0, "how long to record (default: until Ctrl-C)")
	f.DurationVar(&r.interval, "interval", time.Second, "time between two samples")
	f.Var(&r.maxSize, "max-size", "how much disk space to use, as 500MiB or 2GiB; 0: no limit")
	f.BoolVar(&r.watch, "watch", false, "also judge what is recorded, as rtrail watch does")
	r.night.add(f, " (with --watch)")
	f.BoolVar(&r.unit, "print-unit", false, "print a systemd unit that records from boot on, and record nothing")
	r.packets.add(f)
	r.mysql.add(f)
	r.events.add(f)
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (r *recordJob) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case r.dir == "":
		return usageError("record: no directory is given to record into; use rtrail record -o DIR")
	case r.dir == "-":
		return usageError("-o -: a recording is a directory: it cannot go to standard output; rtrail pack makes one file of it")
	case r.lengthGiven && r.length <= 0:
		return usageError("--for %v: the time must be positive", r.length)
	case r.interval < 100*time.Millisecond:
		return usageError("--interval %v: the shortest is 100ms", r.interval)
	case r.maxSize > 0 && r.maxSize < recording.SmallestMaxSize:
		return usageError("--max-size %v: the least is %v", &r.maxSize, unit.Bytes(recording.SmallestMaxSize))
	}
	if err := r.packets.check(false); err != nil {
		return err
	}
	if err := r.mysql.check(len(r.mysql.names) > 0 && !r.mysql.none()); err != nil {
		return err
	}
	o := session.Options{Interval: r.interval}
	if r.watch {
		if err := r.night.check(r.interval); err != nil {
			return err
		}
		o.Keep = r.night.keep(r.interval)
	}
	finishes(ctx)
	watches(stderr, true)
	collectBy(percentToWatch)
	slowMonitor()
	giveStartBack()
	host, err := startLasting(ctx, o, &r.packets, &r.mysql, &r.events)
	if err != nil {
		return err
	}
	defer host.Close()
	about := host.Recording().Manifest()
	dir, err := recording.Create(r.dir, about, recording.Options{MaxSize: int64(r.maxSize)})
	if err != nil {
		return err
	}
	for _, p := range about.Probes {
		if p.Missing != "" {
			fmt.Fprintf(stderr, "rtrail: probe %s does not run: %s\n", p.Name, p.Missing)
		}
	}
	fmt.Fprintf(stderr, "recording into %s, Ctrl-C ends it\n", r.dir)
	stop, runs, watched := r.showProgress(stderr, dir), ctx, func(err error) error { return err }
	samples := countSamples(dir, about.Probes)
	if r.watch {
		host.Also(samples)
		if runs, watched, err = r.startWatch(ctx, host, stdout, stderr); err != nil {
			stop()
			return errors.Join(err, dir.Close())
		}
	} else {
		host.Into(samples)
	}
	length := r.length
	if length == 0 {
		length = withoutEnd
	}
	err = host.Run(runs, length)
	ended := time.Now() // to close the recording may take long
	err = watched(err)
	stop()

	if closing := dir.Close(); err == nil || errors.Is(closing, err) {
		err = closing
	}
	if lost := dir.Lost(); lost > 0 {
		fmt.Fprintf(stderr, "rtrail: %s lost: there was no room on the disk; %s says when\n", unit.Plural(lost, "sample", "samples"), r.replay())
	}
	if left := host.LeftOut(); left > 0 {
		fmt.Fprintf(stderr, "rtrail: %s left out: rtrail itself used more than a quarter of a core; choose a longer --interval\n", unit.Plural(left, "sample", "samples"))
	}
	for _, line := range samples.failed(ended) {
		fmt.Fprintf(stderr, "rtrail: %s\n", line)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "recorded %s, %v; next: %s\n",
		time.Since(about.Started).Round(time.Second), unit.Bytes(dir.Size()), r.replay())
	return nil
}

// startWatch judges what is recorded.
func (r *recordJob) startWatch(ctx context.Context, host *session.Live, stdout, stderr io.Writer) (context.Context, func(error) error, error) {
	r.night.goesOn = true
	path := r.dir
	if whole, err := filepath.Abs(path); err == nil {
		path = whole // notices are read elsewhere
	}
	r.night.see = func(since time.Time) string {
		return asOverridden(shell.Line("rtrail diagnose %s --at %s", shell.Path(path), since.Local().Format(clockLayout))).String()
	}
	return r.night.start(ctx, host, stdout, stderr)
}

// replay is the command that shows what was recorded.
func (r *recordJob) replay() shell.Command { return shell.Line("rtrail replay %s", shell.Path(r.dir)) }

// showProgress counts time and size on a terminal until stop is called.
func (r *recordJob) showProgress(stderr io.Writer, dir *recording.Directory) (stop func()) {
	if _, tty := terminalWidth(stderr); !tty {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(stderr, "\r\x1b[K")
				return
			case <-tick.C:
				fmt.Fprintf(stderr, "\r%v", time.Since(began).Round(time.Second))
				if r.length > 0 {
					fmt.Fprintf(stderr, " of %v", r.length)
				}
				fmt.Fprintf(stderr, ", %v\x1b[K", unit.Bytes(dir.Size()))
			}
		}
	}()
	return func() {
		close(done)
		<-gone
	}
}

// byteSize is a flag for a number of bytes, with or without a unit.
type byteSize int64

var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

func (b *byteSize) String() string { return unit.Bytes(*b).String() }
func (b *byteSize) Type() string   { return "size" }

func (b *byteSize) Set(s string) error {
	number, factor := strings.ToLower(strings.TrimSpace(s)), 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v < 0 || math.IsNaN(v) || v*factor > 1<<60 {
		return fmt.Errorf("want a size as 500MiB or 2GiB")
	}
	*b = byteSize(v * factor)
	return nil
}
