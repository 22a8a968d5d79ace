// Steps proves that load tests name what saturates: for each of ten limits it sets up a real
// server, runs `rtrail bench` against it as a user does, and wants `rtrail bench report` to
// name that limit first; of a load far below all limits, nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	var p proof
	flag.StringVar(&p.rtrail, "rtrail", "bin/rtrail", "the program")
	flag.StringVar(&p.only, "only", "*", "patterns of cases, comma-separated")
	flag.IntVar(&p.rounds, "rounds", 1, "how often each case is run")
	flag.StringVar(&p.keep, "keep", "", "keep the runs in this folder (default: none is kept of what passes)")
	flag.Parse()
	if os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "step-proof: labs need root")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := p.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "step-proof:", err)
		os.Exit(1)
	}
}

// proof is what is to be proven.
type proof struct {
	rtrail, only, keep string
	rounds             int
}

// outcome is how a case went, in all rounds.
type outcome struct {
	passed, skipped int
	named           []string
}

func (p *proof) run(ctx context.Context) (err error) {
	if p.rtrail, err = filepath.Abs(p.rtrail); err != nil {
		return err
	}
	list := slices.DeleteFunc(cases(), func(c limited) bool {
		return !slices.ContainsFunc(strings.Split(p.only, ","), func(pattern string) bool {
			ok, err := path.Match(pattern, c.name)
			return ok && err == nil
		})
	})
	if len(list) == 0 {
		return errors.New("--only names no case")
	}
	sums := make([]outcome, len(list))
	for round := 1; round <= p.rounds; round++ {
		for i, c := range list {
			named, err := p.once(ctx, c, round)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			word := "pass"
			switch skip := (*skipped)(nil); {
			case errors.As(err, &skip):
				word, named = "skip", skip.missing
				sums[i].skipped++
			case err != nil:
				word, named = "FAIL", err.Error()
			default:
				sums[i].passed++
			}
			sums[i].named = append(sums[i].named, named)
			fmt.Printf("%s  %-12s %d  %s\n", word, c.name, round, named)
		}
	}
	return report(list, sums, p.rounds)
}

// report prints the table, and fails unless all rounds of all cases passed.
func report(list []limited, sums []outcome, rounds int) error {
	failed := 0
	fmt.Println()
	for i, c := range list {
		judged := rounds - sums[i].skipped
		fmt.Printf("%-12s %d of %d  %s\n", c.name, sums[i].passed, judged, c.limit)
		if sums[i].passed < judged {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d cases are not proven", failed)
	}
	return nil
}
