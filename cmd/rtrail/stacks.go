package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/infile"
	"rtrail/internal/outfile"
	"rtrail/internal/page"
	"rtrail/internal/privilege"
	live "rtrail/internal/probe/stack"
	"rtrail/internal/report"
	"rtrail/internal/session"
	"rtrail/internal/stack"
	"rtrail/internal/stack/flame"
	"rtrail/internal/stack/show"
)

// stacksJob is what `rtrail stacks` was asked to do.
type stacksJob struct {
	pid    int32
	length time.Duration
	hz     int
	pause  bool

	topFile   string
	top       int
	pmp       bool
	collapsed bool
	face
	pageFlag
	pprof   string
	verbose bool
}

func newStacksCommand() *cobra.Command {
	var s stacksJob
	cmd := &cobra.Command{
		Use:   "stacks FILE... | --pid PID",
		Short: "Count identical stacks of threads and name what they wait for",
		Long: `Reads stack dumps, counts identical stacks, and explains the waits that its
dictionary knows: what they mean, in which versions, what to do. Threads that
only wait for work are recognised and left out of the shares.

FILE is the output of one of the following; its content decides the format. gzip
and zstd are unpacked, "-" is standard input, several files or several dumps in
one file are several samples:
  gdb -batch -p PID -ex "thread apply all bt"     pstack PID
  eu-stack -p PID                                 jstack -l PID
  perf script                                     asprof -o collapsed ...
  a dump of goroutines: kill -QUIT, or /debug/pprof/goroutine?debug=2

With --pid a live process is sampled without stopping it: running threads by the
kernel (perf_event), sleeping ones in /proc. What cannot be seen is listed.
--pause also takes one dump with eu-stack, which stops the process meanwhile.

Views (one of them): --pmp, --collapsed, --json, --markdown.
Beside any: --pprof, --html.`,
		Example: `  rtrail stacks dump.txt
  for i in 1 2 3; do pstack $(pidof mysqld); sleep 1; done | rtrail stacks -
  jstack -l 4711 > j.txt; top -H -b -n1 -p 4711 > t.txt; rtrail stacks j.txt --top-file t.txt
  perf script | rtrail stacks - --html flame.html
  sudo rtrail stacks --pid $(pidof mysqld) --for 10s`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(cmd, args); err != nil {
				return err
			}
			return s.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.Int32Var(&s.pid, "pid", 0, "watch this process")
	f.DurationVar(&s.length, "for", 5*time.Second, "how long to watch it")
	f.IntVar(&s.hz, "hz", 99, "samples per second of each CPU")
	f.BoolVar(&s.pause, "pause", false, "also stop the process for one dump by eu-stack, usually well under a second")
	f.StringVar(&s.topFile, "top-file", "", "the output of top -H -b -n1: names the hot threads")
	f.IntVar(&s.top, "top", 10, "stacks, waits and locks to print")
	f.BoolVar(&s.pmp, "pmp", false, "view: all stacks, a line each, as pt-pmp prints them")
	f.BoolVar(&s.collapsed, "collapsed", false, "view: all stacks, as flame graph tools read them")
	s.face.add(f, "everything")
	f.StringVar(&s.pprof, "pprof", "", "also write a profile for pprof to this file")
	s.pageFlag.add(f, "the sums and flame graphs")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "all frames")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (s *stacksJob) check(cmd *cobra.Command, args []string) error {
	views := 0
	for _, on := range []bool{s.pmp, s.collapsed, s.json, s.markdown} {
		if on {
			views++
		}
	}
	live := cmd.Flags().Changed("pid")
	switch {
	case live && len(args) > 0:
		return usageError("--pid watches a process: it does not go with %s", args[0])
	case !live && len(args) == 0:
		return usageError("stacks needs files, or --pid PID; see: rtrail stacks --help")
	case live && s.pid <= 0:
		return usageError("--pid %d: this is no process", s.pid)
	case !live && (s.pause || cmd.Flags().Changed("for") || cmd.Flags().Changed("hz")):
		return usageError("--for, --hz and --pause go with --pid")
	case s.length <= 0:
		return usageError("--for %v: the time must be positive", s.length)
	case s.hz < 1 || s.hz > 1000:
		return usageError("--hz %d: want 1 to 1000", s.hz)
	case views > 1:
		return usageError("--pmp, --collapsed, --json and --markdown exclude each other")
	case s.top < 1:
		return usageError("--top %d: at least 1", s.top)
	}
	inputs := args
	if s.topFile != "" {
		inputs = append(slices.Clone(args), s.topFile)
	}
	outputs := []output{{"--pprof", s.pprof}, {"--html", s.html}}
	if err := checkOutputs(outputs, inputs); err != nil || !live {
		return err
	}
	return checkFolders(outputs)
}

func (s *stacksJob) run(ctx context.Context, files []string, stdin io.Reader, out, stderr io.Writer) error {
	if s.pid == 0 {
		confine(stderr, privilege.Needs{Read: append(slices.Clone(files), s.topFile), Write: []string{s.pprof, s.html}})
	}
	var threads map[int32]float64
	if s.topFile != "" {
		var err error
		if threads, err = readTop(ctx, s.topFile); err != nil {
			return err
		}
	}
	source := session.Stacks{Files: files, Stdin: stdin, Options: stack.Options{Top: threads}}
	watched := func() {}
	if s.pid > 0 {
		finishes(ctx)
		watches(stderr, true)
		source.Watch = live.Options{PID: s.pid, Length: s.length, Hz: s.hz}
		watched = sync.OnceFunc(startProgress(stderr, fmt.Sprintf("watching process %d", s.pid), s.length).stop)
		if s.pause {
			source.Pausing = func() {
				watched()
				fmt.Fprintf(stderr, "rtrail: stopping process %d for one dump\n", s.pid)
			}
		}
	}
	e, err := source.Evidence(ctx)
	watched()
	if err != nil {
		return err
	}
	if err := s.files(ctx, source.Profile, e, source.Unseen); err != nil {
		return err
	}
	return s.show(out, stderr, source.Profile, e, source.Unseen)
}

func readTop(ctx context.Context, path string) (map[int32]float64, error) {
	f, err := infile.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("reading the output of top: %w", err)
	}
	defer f.Close()
	threads, err := stack.ReadTop(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return threads, nil
}

// files writes what was asked for beside the view.
func (s *stacksJob) files(ctx context.Context, p *stack.Profile, e *session.Evidence, notes []string) error {
	if s.pprof != "" {
		if err := outfile.Write(ctx, s.pprof, func(w *outfile.File) error { return show.PProf(w, p) }); err != nil {
			return fmt.Errorf("writing the profile: %w", err)
		}
	}
	if s.html == "" {
		return nil
	}
	v := e.View()
	d := show.Document(p, v, notes, show.Options{Top: s.top, Verbose: s.verbose})
	if judged := e.Judge(); len(judged.Findings) > 0 {
		d.Blocks = append(report.Compose(judged, true).Blocks, d.Blocks...)
	} else { // what threads wait for is what dumps without a finding tell
		d.Blocks = append(d.Blocks, report.Lacks(judged)...)
	}
	return s.pageFlag.write(ctx, page.Page{Document: d, Flames: flame.Graphs(p, 0, 1)})
}

func (s *stacksJob) show(out, stderr io.Writer, p *stack.Profile, e *session.Evidence, notes []string) error {
	switch {
	case s.pmp, s.collapsed:
		for _, n := range slices.Concat(e.Notes, notes) {
			fmt.Fprintf(stderr, "rtrail: %s\n", n)
		}
		if s.pmp {
			return show.PMP(out, p)
		}
		return show.Collapsed(out, p)
	}
	v := e.View()
	return s.face.print(out, show.Document(p, v, notes, show.Options{Top: s.top, Verbose: s.verbose}), show.Result(p, v, notes))
}
