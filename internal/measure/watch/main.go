// Watch proves `rtrail watch`: it runs labs one after the other beside one watch with a
// command to notify, and wants of each one notice with the right cause in time, one all-clear,
// and nothing else; then of controls that pass, nothing.
package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
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
	flag.DurationVar(&p.controls, "controls", time.Hour, "how long controls that pass run in all")
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
	fmt.Printf("rtrail of %s: %d labs, then controls for %v; notices are in %s\n", commit(p.rtrail), len(list), p.controls, w.file)
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
	silence, err := p.control(ctx, w, controls)
	if err != nil {
		return err
	}
	usage := w.stop()
	fmt.Printf("\nlabs: %d passed, %d failed, %d skipped; controls: %d passed in %v, %d failed, notices: %d\n%s\n", passed, failed, skipped, silence.passed, silence.held.Round(time.Second), silence.failed, silence.stray, usage)
	wrong := silence.wrong(p.controls)
	if failed > 0 || passed < min(p.least, len(list)) {
		wrong = append(wrong, "too few labs passed, or some failed")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("not proven: %s; see %s", strings.Join(wrong, "; "), w.file)
	}
	return os.RemoveAll(dir)
}

// controlled is how the controls went.
type controlled struct {
	passed, failed int           // runs
	held           time.Duration // by those that passed
	stray          int           // notices
}

// wrong says what keeps controls from proving that nothing is told for some time.
func (c controlled) wrong(wanted time.Duration) (list []string) {
	if c.stray > 0 {
		list = append(list, "there were notices of controls")
	}
	if c.failed > 0 {
		list = append(list, "controls failed")
	}
	if c.held < wanted {
		list = append(list, fmt.Sprintf("controls passed for %v, not %v", c.held.Round(time.Second), wanted))
	}
	return list
}

// control runs controls in turn, until those that passed ran long enough. One that was skipped or
// failed does not run again.
func (p *proof) control(ctx context.Context, w *watching, list []entry) (r controlled, err error) {
	for i := 0; len(list) > 0 && r.held < p.controls; {
		i %= len(list)
		c := list[i]
		from := time.Now()
		result, err := p.held(ctx, c)
		if err != nil {
			return r, err
		}
		notices, err := w.since(from)
		if err != nil {
			return r, err
		}
		status := "silent"
		switch {
		case result.Skipped:
			status = "skipped: " + result.Why
		case !result.Pass:
			r.failed++
			status = "control failed: " + result.Why
		default:
			r.passed++
			r.held += time.Since(from)
		}
		for _, n := range notices {
			if !p.ignores(n) {
				r.stray++
				status = "FAIL"
				fmt.Printf("     a notice: %s\n", n)
			}
		}
		fmt.Printf("%-5s %s\n", status, c.Case)
		if result.Pass && !result.Skipped {
			i++
		} else {
			list = slices.Concat(list[:i], list[i+1:])
		}
	}
	return r, nil
}

// commit is that of which a program was built, as far as the program says.
func commit(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "an unknown commit"
	}
	of := map[string]string{}
	for _, s := range info.Settings {
		of[s.Key] = s.Value
	}
	words := cmp.Or(of["vcs.revision"], "an unknown commit")
	if of["vcs.modified"] == "true" {
		words += " with changes"
	}
	return words
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
