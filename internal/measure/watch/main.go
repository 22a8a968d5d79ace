// Watch proves `rtrail watch`: it runs labs one after the other beside one watch with a
// command to notify, and wants of each one notice with the right cause in time, one all-clear,
// and nothing else; then of controls, nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	var p proof
	flag.StringVar(&p.rtrail, "rtrail", "bin/rtrail", "the program")
	flag.StringVar(&p.labs, "labs", "", "patterns of cases, comma-separated (default: the first of each rule that the host alone shows)")
	flag.IntVar(&p.first, "first", 0, "only so many of them (0: all)")
	flag.DurationVar(&p.hold, "hold", 40*time.Second, "how long each fault, and then the fixed system, is held")
	flag.DurationVar(&p.controls, "controls", time.Hour, "how long controls run in all")
	flag.IntVar(&p.least, "least", 20, "how many labs have to pass; all of fewer")
	flag.StringVar(&p.ignore, "ignore", steal, "rules that this machine has anyway, comma-separated: cpu/steal is true on a virtual machine, whatever a lab is about")
	took := flag.String("took", "", "(used by itself) append the notice that is notified to this file")
	flag.Parse()
	if *took != "" {
		if err := take(*took); err != nil {
			fmt.Fprintln(os.Stderr, "watch-proof:", err)
			os.Exit(1)
		}
		return
	}
	if os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "watch-proof: labs need root")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := p.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "watch-proof:", err)
		os.Exit(1)
	}
}

// proof is what is to be proven.
type proof struct {
	rtrail, labs string
	ignore       string
	first, least int
	hold         time.Duration
	controls     time.Duration
}

func (p *proof) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "watch-proof-")
	if err != nil {
		return err
	}
	list, controls, err := p.cases(ctx)
	if err != nil {
		return err
	}
	w, err := startWatch(ctx, p.rtrail, dir)
	if err != nil {
		return err
	}
	defer w.stop()
	fmt.Printf("%d labs, then controls for %v; notices are in %s\n", len(list), p.controls, w.file)
	passed, failed, skipped := 0, 0, 0
	for _, c := range list {
		r, err := p.lab(ctx, w, c)
		if err != nil {
			return err
		}
		fmt.Println(r)
		switch {
		case r.skipped:
			skipped++
		case len(r.wrong) == 0:
			passed++
		default:
			failed++
		}
	}
	stray, held, err := p.control(ctx, w, controls)
	if err != nil {
		return err
	}
	usage := w.stop()
	fmt.Printf("\nlabs: %d passed, %d failed, %d skipped; controls: %v, notices: %d\n%s\n", passed, failed, skipped, held.Round(time.Second), stray, usage)
	if failed > 0 || stray > 0 || passed < min(p.least, len(list)) {
		return fmt.Errorf("not proven; see %s", w.file)
	}
	return os.RemoveAll(dir)
}

// control runs controls in turn.
func (p *proof) control(ctx context.Context, w *watching, list []entry) (stray int, held time.Duration, err error) {
	began := time.Now()
	for i := 0; len(list) > 0 && time.Since(began) < p.controls; i++ {
		c := list[i%len(list)]
		from := time.Now()
		result, err := p.held(ctx, c)
		if err != nil {
			return stray, time.Since(began), err
		}
		notices, err := w.since(from)
		if err != nil {
			return stray, time.Since(began), err
		}
		status := "silent"
		switch {
		case result.Skipped:
			status = "skipped: " + result.Why
		case !result.Pass:
			status = "control failed: " + result.Why
		}
		for _, n := range notices {
			if !p.ignores(n) {
				stray++
				status = "FAIL"
				fmt.Printf("     a notice: %s\n", n)
			}
		}
		fmt.Printf("%-5s %s\n", status, c.Case)
		if result.Skipped && time.Since(from) < time.Second {
			list = append(list[:i%len(list):i%len(list)], list[i%len(list)+1:]...)
		}
	}
	return stray, time.Since(began), nil
}

// ignores says whether a notice is about what the machine has anyway.
func (p *proof) ignores(n took) bool { return slices.Contains(strings.Split(p.ignore, ","), n.Rule) }

// program is this program, for the watch to start.
func program() (string, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err == nil && strings.ContainsAny(path, " \t\n") {
		err = fmt.Errorf("the path %q has blanks: exec: splits at them", path)
	}
	return path, err
}
