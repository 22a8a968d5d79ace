// Command corpus feeds folders of captures, recordings and dumps of stacks to
// rtrail: every file through all views, outputs and `rtrail diagnose`, each run
// within 20 s and 500 MB. It lists crashes, hangs, overruns of memory, broken
// output, and every finding above `possible`, for a person to judge.
//
//	go run ./internal/measure/corpus [-rtrail bin/rtrail] [-jobs N] [-runs diagnose] [-judged FILE] [-report FILE] FILE|DIR...
//
// Exit codes: 0 every run held, 1 some did not, or a finding is judged wrong, or
// the check itself failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// check is what the command line asks for.
type check struct {
	rtrail string
	jobs   int
	limits limits
	runs   string // only runs whose names begin so, separated by commas; "" all
	judged string // file with judgements
	report string // file for one JSON object per file
}

func main() {
	c := check{limits: limits{time: 20 * time.Second, memory: 500 << 20}}
	memory := flag.Int64("memory", c.limits.memory>>20, "MB that a run may take")
	flag.StringVar(&c.rtrail, "rtrail", "bin/rtrail", "the program to check")
	flag.IntVar(&c.jobs, "jobs", runtime.NumCPU(), "files checked at once")
	flag.DurationVar(&c.limits.time, "time", c.limits.time, "time that a run may take")
	flag.StringVar(&c.runs, "runs", "", "only runs whose names begin so, separated by commas: diagnose, packets, stacks, replay")
	flag.StringVar(&c.judged, "judged", "", "file with judgements of earlier findings: right or wrong, rule, subject and file, separated by tabs")
	flag.StringVar(&c.report, "report", "", "also write what was found to this file, a JSON object per file checked")
	flag.Usage = usage
	flag.Parse()
	c.limits.memory = *memory << 20
	if flag.NArg() == 0 || c.jobs < 1 || c.limits.time <= 0 || c.limits.memory <= 0 {
		usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	held, err := c.check(ctx, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus-check:", err)
	}
	if err != nil || !held {
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: corpus [flags] FILE|DIR...    (make corpus-check DIR=FOLDER)")
	flag.PrintDefaults()
}

// check runs all files and prints what became of them; held says that nothing is
// amiss.
func (c *check) check(ctx context.Context, roots []string) (held bool, err error) {
	program, err := filepath.Abs(c.rtrail)
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return false, fmt.Errorf("find the program to check: %w; make build makes it", err)
	}
	known, err := readJudgements(c.judged)
	if err != nil {
		return false, err
	}
	files, err := collect(roots)
	if err != nil {
		return false, err
	}
	if len(files) == 0 {
		return false, fmt.Errorf("there is no file in %s", strings.Join(roots, ", "))
	}
	scratch, err := os.MkdirTemp("", "rtrail-corpus-")
	if err != nil {
		return false, fmt.Errorf("make a directory for what the runs write: %w", err)
	}
	defer os.RemoveAll(scratch)
	out, err := newReport(os.Stdout, c.report, known, len(files))
	if err != nil {
		return false, err
	}
	r := runner{program: program, limits: c.limits, only: prefixes(c.runs), scratch: scratch}
	each(c.jobs, files, func(f *file) {
		if ctx.Err() == nil {
			if result := r.file(ctx, f); ctx.Err() == nil {
				out.add(result)
			}
		}
	})
	held, err = out.close()
	if ctx.Err() != nil {
		err = errors.Join(err, errors.New("interrupted: the counts are of the files checked until then"))
	}
	return held, err
}

// each calls do for all files, some at once.
func each(jobs int, files []file, do func(*file)) {
	next := make(chan *file)
	var done sync.WaitGroup
	for range jobs {
		done.Go(func() {
			for f := range next {
				do(f)
			}
		})
	}
	for i := range files {
		next <- &files[i]
	}
	close(next)
	done.Wait()
}

func prefixes(list string) (all []string) {
	for p := range strings.SplitSeq(list, ",") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}
