package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"rtrail/internal/baseline"
	"rtrail/internal/bench/capacity"
	"rtrail/internal/outfile"
	"rtrail/internal/probe"
	"rtrail/internal/probe/host"
	"rtrail/internal/safefile"
	"rtrail/internal/session"
	"rtrail/internal/unit"
)

// benchBaseline is what `rtrail bench baseline` was asked to do.
type benchBaseline struct {
	disks  []string
	peer   string
	length time.Duration
	output string
	force  bool
	face
}

// longestMeasure bounds --for.
const longestMeasure = 5 * time.Minute

func newBenchBaselineCommand() *cobra.Command {
	var j benchBaseline
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Measure what this host can do, and keep it with the host",
		Long: `Measures the CPUs (SHA-256), memory (copies) and HTTP over loopback; with --disk
a disk (fio: sequential and random reads and writes, and fsync), with --peer the
network to a host where "rtrail throughput --serve" runs. It keeps the numbers
in ` + baseline.DefaultPath + `: from then on verdicts say how near
to them a device is.

It loads what it measures for --for a number, and a disk for five times as long,
with a file of 1 GiB that it removes: not beside work that must not be slowed.`,
		Example: `  rtrail bench baseline --disk /var/lib/mysql
  rtrail bench baseline --peer db2:5999 --output db1.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return j.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&j.disks, "disk", nil, "measure the disk that holds this folder; may be given several times")
	f.StringVar(&j.peer, "peer", "", "measure the network to this HOST:PORT, where rtrail throughput serves")
	f.DurationVar(&j.length, "for", 5*time.Second, "how long to measure each number")
	f.StringVarP(&j.output, "output", "o", "", "keep the numbers in this file (default as root: "+baseline.DefaultPath+")")
	f.BoolVar(&j.force, "force", false, "also if more than a tenth of the CPUs is busy with other work")
	j.face.add(f, "the numbers")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (j *benchBaseline) run(cmd *cobra.Command) error {
	if err := j.face.check(); err != nil {
		return err
	}
	if j.length < time.Second || j.length > longestMeasure {
		return usageError("--for %v: from 1s to %v", j.length, unit.Duration(longestMeasure))
	}
	if j.output == "" {
		if os.Geteuid() != 0 {
			return usageError("%s belongs to root: say where to keep the numbers, as --output baseline.json", baseline.DefaultPath)
		}
		j.output = baseline.DefaultPath
		dir, err := safefile.MakeDir(filepath.Dir(j.output), 0o755)
		if err != nil {
			return err
		}
		if err := dir.Close(); err != nil {
			return err
		}
	}
	if err := checkOutputs([]output{{"--output", j.output}}, nil); err != nil {
		return err
	}
	for _, folder := range j.disks {
		if _, err := os.Stat(folder); err != nil {
			return err
		}
	}
	var earlier *baseline.Baseline
	if old, err := baseline.Load(absolute(j.output)); err == nil {
		earlier = old
	} else if !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(cmd.ErrOrStderr(), "rtrail: not compared with what was there:", err)
	}
	watches(cmd.ErrOrStderr(), false)
	b, err := j.measure(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := outfile.Write(cmd.Context(), j.output, func(f *outfile.File) error { return b.Write(f) }); err != nil {
		return fmt.Errorf("keeping the baseline: %w", err)
	}
	if err := j.print(cmd.OutOrStdout(), b.Document(earlier), b); err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "kept in", j.output)
	return nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// measure measures what was asked for; stderr gets a line before each part.
func (j *benchBaseline) measure(ctx context.Context, stderr io.Writer) (*baseline.Baseline, error) {
	b := &baseline.Baseline{Measured: time.Now(), Values: []baseline.Value{}}
	var err error
	if b.Host, err = os.Hostname(); err != nil {
		return nil, err
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil, fmt.Errorf("uname: %w", err)
	}
	b.Kernel = unix.ByteSliceToString(name.Release[:])
	before, err := session.Start(session.Options{What: "this host", Probes: []probe.Probe{host.New(host.FS{})}, Length: time.Second, Interval: time.Second / 2, About: manifest()}).Evidence(ctx)
	if err != nil {
		return nil, err
	}
	if cpu, ok := before.View().CPUTotal(); ok {
		b.Busy = cpu.Busy()
	}
	if b.Busy > baseline.MostBusy && !j.force {
		return nil, fmt.Errorf("%v of the CPUs are busy with other work: what is measured now is less than the host can do; wait, or --force", unit.Share(b.Busy))
	}
	tell := func(what string) { fmt.Fprintf(stderr, "measuring %s\n", what) }
	if j.peer != "" { // what can fail comes first
		tell("the network to " + j.peer)
		if err := capacity.Network(ctx, b, j.peer, j.length); err != nil {
			return nil, err
		}
	}
	for _, folder := range j.disks {
		if err := capacity.Disk(ctx, b, folder, j.length, tell); err != nil {
			return nil, err
		}
	}
	for _, part := range []struct {
		name string
		run  func(context.Context, *baseline.Baseline, time.Duration) error
	}{{"CPUs", capacity.CPU}, {"memory", capacity.Memory}, {"HTTP over loopback", capacity.HTTP}} {
		tell(part.name)
		if err := part.run(ctx, b, j.length); err != nil {
			return nil, err
		}
	}
	return b, nil
}
