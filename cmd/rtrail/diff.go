package main

import (
	"context"
	"fmt"
	"os"
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
	face
}

func newDiffCommand() *cobra.Command {
	var d diffJob
	cmd := &cobra.Command{
		Use:   "diff RECORDING[@TIME] RECORDING[@TIME]",
		Short: "Compare a bad moment or host with a good one",
		Long: `Compares a minute of a recording with another minute of it, or of another
recording or host: CPU time, I/O, context switches, faults, TCP segments,
retransmits, connections and round trips, per request where requests are
counted on both sides (MySQL statements, requests in packets, accepted
connections), else per second; settings that differ; and processes that are new,
gone, or have another command line. What explains most stands first.

TIME is what --at of diagnose takes; without it the last minute counts. Noise is
left out: each window is cut into six parts, and a quantity is told if all parts
of one window have more than all parts of the other, 1.5 times as much in all.

A report of another tool, as rtrail diagnose reads it, may stand in place of a
recording; only what both sides know is compared.`,
		Example: `  rtrail diff night.rtr@03:00 night.rtr@01:00
  rtrail diff bad.rtr good.rtr --for 5m
  rtrail diff db1.rtr@03:00 db2.rtr@03:00 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
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
	f.DurationVar(&d.length, "for", diffLength, "length of each window")
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
	var paths, times []string
	for _, arg := range args {
		path, at := splitMoment(arg)
		paths, times = append(paths, path), append(times, at)
	}
	if err := checkRecordings(cmd, paths); err != nil {
		return err
	}
	confine(cmd.ErrOrStderr(), privilege.Needs{Read: paths, Run: imported.Sadf()})
	var stores [2]*session.Store
	var told report.Compared
	var windows [2]recording.Window
	for i := range paths {
		var err error
		if stores[i], err = openStore(cmd.Context(), paths[i:i+1]); err != nil {
			return err
		}
		if windows[i], err = d.choose(cmd.Context(), stores[i], paths[i], times[i]); err != nil {
			return err
		}
	}
	if a, b := windows[0], windows[1]; sameFile(paths[0], paths[1]) && a.From.Before(b.To) && b.From.Before(a.To) {
		return fmt.Errorf("comparing %s: the windows %v and %v overlap: choose times that are %v apart, or a shorter --for",
			paths[0], unit.Moment(a.From), unit.Moment(b.From), unit.Duration(a.To.Sub(a.From)))
	}
	var sides [2]diff.Side
	for i, w := range windows {
		e, err := stores[i].Evidence(cmd.Context(), w)
		if err != nil {
			return err
		}
		sides[i] = diff.Side{Recording: e.Recording, From: w.From, To: w.To}
		told.Sides[i] = report.ComparedSide{Path: args[i], Manifest: e.Recording.Manifest(), Window: w}
	}
	result, err := diff.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	told.Result = result
	return d.print(cmd.OutOrStdout(), told.Document(), told.JSON())
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
