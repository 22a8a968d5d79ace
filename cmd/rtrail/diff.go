package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/diff"
	"rtrail/internal/imported"
	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/session"
	"rtrail/internal/unit"
)

const (
	// diffLength is how much of each recording is compared: parts of ten seconds, which is
	// what diagnose watches.
	diffLength = diff.Parts * 10 * time.Second
	// minDiff leaves two samples to each part.
	minDiff = diff.Parts * time.Second
)

// diffJob is what `rtrail diff` was asked to do.
type diffJob struct {
	length      time.Duration
	lengthGiven bool
	prom        prometheusFlags
	face
}

func newDiffCommand() *cobra.Command {
	var d diffJob
	cmd := &cobra.Command{
		Use:   "diff RECORDING[@TIME] RECORDING[@TIME]",
		Short: "Compare a bad moment or host with a good one",
		Long: `Compares a minute of a recording with another minute of it, or of another
recording or host: CPU time, I/O, context switches, faults, what interfaces
carry and drop, TCP segments, retransmits and connections, also of containers;
waits for disks, for a CPU (run delay, CPU quotas, steal) and for memory (swap),
and pressure; response times, packets and round trips of services in recorded
packets; rows, temporary tables, fsyncs and lock waits of MySQL, response times
of it and of its statements; settings that differ; and processes that are new,
gone, or have another command line. What explains most stands first, what could
not be compared last. Above it is the first finding of rtrail diagnose in each
window.

Work is told per request where requests are counted on both sides: MySQL
transactions that wrote (unless there are a hundred statements for each), MySQL
statements, requests in packets, accepted connections; else per second.

TIME is what --at of diagnose takes; without it the last minute counts. Noise is
left out: each window is cut into six parts, and a quantity is told if all parts
of one window have more than all parts of the other, 1.5 times as much in all.

A report of another tool, as rtrail diagnose reads it, may stand in place of a
recording; only what both sides know is compared.

With --prometheus the arguments are hosts, as --instance of diagnose takes them:
a Prometheus is asked for what node_exporter told of them in 15 minutes, or in
--for. @TIME alone stands for the host of --instance, or the only one there is.`,
		Example: `  rtrail diff night.rtr@03:00 night.rtr@01:00
  rtrail diff bad.rtr good.rtr --for 5m
  rtrail diff db1.rtr@03:00 db2.rtr@03:00 --json
  rtrail diff --prometheus http://prom:9090 db1:9100@03:00 db1:9100@01:00
  rtrail diff --prometheus http://prom:9090 --instance db1 @03:00 @01:00
  rtrail diff --prometheus http://prom:9090 db1@03:00 db2@03:00 --for 30m`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 2:
			case d.prom.given():
				return usageError("%d hosts given: two windows are compared, as rtrail diff --prometheus URL db1:9100@03:00 db1:9100@01:00", len(args))
			default:
				return usageError("%d recordings given: two windows are compared, as rtrail diff night.rtr@03:00 night.rtr@01:00", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d.lengthGiven = cmd.Flags().Changed("for")
			return d.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&d.length, "for", diffLength, "length of each window; with --prometheus 15m if not given")
	d.prom.add(f, "compare", "the last 15m, or @TIME and --for")
	d.face.add(f, "the comparison")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (d *diffJob) run(cmd *cobra.Command, args []string) error {
	if d.length < minDiff {
		return usageError("--for %v: the shortest is %v", d.length, minDiff)
	}
	if err := d.face.check(); err != nil {
		return err
	}
	if err := d.prom.check("", false); err != nil {
		return err
	}
	choose := d.recorded
	if d.prom.given() {
		choose = d.asked
	}
	stores, windows, same, err := choose(cmd, args)
	if err != nil {
		return err
	}
	if a, b := windows[0], windows[1]; same && a.From.Before(b.To) && b.From.Before(a.To) {
		return fmt.Errorf("comparing %s with %s: the windows %v and %v overlap: choose times that are %v apart, or a shorter --for",
			args[0], args[1], unit.Moment(a.From), unit.Moment(b.From), unit.Duration(a.To.Sub(a.From)))
	}
	var told report.Compared
	var sides [2]diff.Side
	for i, w := range windows {
		e, err := stores[i].Evidence(cmd.Context(), w)
		if err != nil {
			return err
		}
		around, err := stores[i].Around(cmd.Context(), w, diff.Beyond, recording.MySQLStatements)
		if err != nil {
			return err
		}
		sides[i] = diff.Side{Recording: e.Recording, From: w.From, To: w.To, Around: around}
		told.Sides[i] = report.ComparedSide{Path: args[i], Manifest: e.Recording.Manifest(), Window: w, Verdict: e.Judge()}
		for _, n := range slices.Concat(e.Recording.Manifest().Notes, e.Notes) {
			told.Notes = append(told.Notes, sideNames[i]+n)
		}
	}
	result, err := diff.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	told.Result = result
	return d.print(cmd.OutOrStdout(), told.Document(), told.JSON())
}

// sideNames stand before notes.
var sideNames = [2]string{"first: ", "second: "}

// recorded are the windows of recordings, or reports; same: both are of one file.
func (d *diffJob) recorded(cmd *cobra.Command, args []string) (stores [2]*session.Store, windows [2]recording.Window, same bool, err error) {
	var paths, times [2]string
	for i, arg := range args {
		paths[i], times[i] = splitMoment(arg)
	}
	if err := checkRecordings(cmd, paths[:]); err != nil {
		return stores, windows, false, err
	}
	confine(cmd.ErrOrStderr(), privilege.Needs{Read: paths[:], Run: imported.Sadf()})
	for i := range paths {
		if stores[i], err = openStore(cmd.Context(), paths[i:i+1]); err != nil {
			return stores, windows, false, err
		}
		if windows[i], err = d.choose(cmd.Context(), stores[i], paths[i], times[i]); err != nil {
			return stores, windows, false, err
		}
	}
	return stores, windows, sameFile(paths[0], paths[1]), nil
}

// asked are the windows of hosts, as Prometheus has them; same: both are of one host.
func (d *diffJob) asked(cmd *cobra.Command, args []string) (stores [2]*session.Store, windows [2]recording.Window, same bool, err error) {
	length := d.length
	if !d.lengthGiven {
		length = promDiff
	}
	named, now := 0, time.Now()
	var times [2]hostTime
	for i, arg := range args {
		host, at := splitHost(arg)
		if times[i], err = d.prom.lasting(host+"@", at, length, now); err != nil {
			return stores, windows, false, err
		}
		if host != "" {
			times[i].instance = host
			named++
		}
		if len(host) > maxInstance {
			return stores, windows, false, usageError("the name of a host is longer than %v", unit.Bytes(maxInstance))
		}
	}
	if named == len(args) && d.prom.instance != "" {
		return stores, windows, false, usageError("--instance %q names a host, and both arguments do: rtrail diff --prometheus URL --instance HOST @03:00 @01:00", d.prom.instance)
	}
	all, err := d.prom.open(cmd.Context(), cmd.ErrOrStderr(), nil, times[:]...)
	if err != nil {
		return stores, windows, false, err
	}
	for i, a := range all {
		held, err := a.Holds(cmd.Context())
		if err != nil {
			return stores, windows, false, err
		}
		stores[i], windows[i] = a.Store, held.Window
		if has, least := held.Window.To.Sub(held.Window.From), diff.Parts*a.Holding(2); has < least {
			return stores, windows, false, fmt.Errorf("comparing %s: there is a value each %v, of %v in all, and %v are wanted; choose --for %v, or another time",
				args[i], unit.Duration(a.Interval()), unit.Duration(has), unit.Duration(least), least+a.Holding(1))
		}
	}
	return stores, windows, all[0].host == all[1].host, nil
}

// splitHost parts a host from the time behind it. Matchers may hold an @.
func splitHost(arg string) (host, at string) {
	end := strings.LastIndexByte(arg, '}') + 1
	if i := strings.LastIndexByte(arg[end:], '@'); i >= 0 {
		return arg[:end+i], arg[end+i+1:]
	}
	return arg, ""
}

// splitMoment parts a path from the time behind it. A file whose name has an @ is that.
func splitMoment(arg string) (path, at string) {
	i := strings.LastIndexByte(arg, '@')
	if _, err := os.Stat(arg); err == nil || i <= 0 {
		return arg, ""
	}
	return arg[:i], arg[i+1:]
}

// choose finds a window that the recording holds all of.
func (d *diffJob) choose(ctx context.Context, src *session.Store, path, at string) (w recording.Window, err error) {
	all, err := src.Holds(ctx)
	if err != nil {
		return w, err
	}
	held, least, wanted := all.Window, minDiff, d.length
	if src.Imported() {
		if least = diff.Parts * src.Holding(2); !d.lengthGiven {
			wanted = max(wanted, least)
		}
		if wanted < least {
			return w, usageError("--for %v: %s has a sample each %v, so that the shortest is %v", wanted, path, unit.Duration(src.Interval()), unit.Duration(least))
		}
	}
	has := held.To.Sub(held.From)
	if at == "" {
		length := wanted
		if !d.lengthGiven {
			length = min(length, has)
		}
		if length < least || length > has {
			return w, fmt.Errorf("comparing %s: it holds %v, and %v are wanted", path, unit.Duration(has), unit.Duration(max(length, least)))
		}
		return recording.Window{From: held.To.Add(-length), To: held.To}, nil
	}
	from, _, err := momentOf(path+"@", at, wanted, held, time.Now())
	if err != nil {
		return w, err
	}
	w = recording.Window{From: from, To: from.Add(wanted)}
	if w.To.After(held.To) {
		return w, fmt.Errorf("comparing %s: the window from %v to %v is not all there: the recording ends at %v; choose an earlier time or a shorter --for",
			path, unit.Moment(w.From), unit.Clock(w.To), unit.Moment(held.To))
	}
	return w, nil
}
