package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/document"
	"rtrail/internal/lab/cases"
	"rtrail/internal/lab/env"
	"rtrail/internal/nearest"
)

func newLabCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Reproduce faults with real software and see them found",
		Long: `Reproduces faults with real software, has rtrail judge them, applies the fix and
expects silence. Labs work in network namespaces, control groups and temporary
folders of their own, and remove them afterwards. Faults that are host-wide by
nature, such as a saturated CPU, last a few seconds: do not run labs on a host
that others depend on.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLabListCommand(), newLabRunCommand(), newLabCleanCommand())
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func newLabListCommand() *cobra.Command {
	var as face
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the cases",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := as.check(); err != nil {
				return err
			}
			list := cases.All()
			return as.print(cmd.OutOrStdout(), cases.List(list), cases.Entries(list))
		},
	}
	as.add(cmd.Flags(), "the list")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func newLabCleanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed labs left behind",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := env.Clean(cmd.OutOrStdout())
			if err == nil && n == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "nothing left behind")
			}
			return err
		},
	}
}

const (
	// disturbedFor is what all tries may cost that the hypervisor disturbed.
	disturbedFor = 15 * time.Minute
	// provenBy: when more than one run in so many cannot be judged, the others
	// prove too little.
	provenBy = 4
	// maxHold bounds how long a fault is held.
	maxHold = 10 * time.Minute
)

// labRun is what `rtrail lab run` was asked to do.
type labRun struct {
	face
	all        bool
	repeat     int
	repeatOnly []string // patterns of the cases that repeat is about; none: of all
	again      int
	hold       time.Duration
}

func newLabRunCommand() *cobra.Command {
	var r labRun
	cmd := &cobra.Command{
		Use:   "run [CASE...]",
		Short: "Run cases; a pattern such as 'net/*' means all that match",
		Example: `  sudo rtrail lab run net/accept-queue-full
  sudo rtrail lab run 'mem/*' --repeat 5
  sudo rtrail lab run --all --repeat 5 --repeat-only 'pair/*'
  sudo rtrail lab run --all --json | jq 'select(.pass | not)'`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return caseIDs(cases.All()), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := cmd.Flags()
	f.BoolVar(&r.all, "all", false, "run all cases except those for optional servers")
	f.BoolVar(&r.json, "json", false, "print one JSON object per case")
	f.BoolVar(&r.markdown, "markdown", false, "print the results as a Markdown table")
	f.IntVar(&r.repeat, "repeat", 1, "how many rounds to run")
	f.StringArrayVar(&r.repeatOnly, "repeat-only", nil, "of the cases to run, the only ones that run more than once; can be given\nseveral times")
	f.IntVar(&r.again, "again", 0, "how often a failed case is retried before it counts as failed;\nwith it, runs in which the hypervisor stole CPU time do not count")
	f.DurationVar(&r.hold, "hold", 0, "hold each fault, and then the fixed system, for so long, and judge\nnothing: for programs that watch meanwhile")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (r labRun) run(cmd *cobra.Command, args []string) error {
	if r.repeat < 1 {
		return usageError("--repeat must be at least 1, not %d", r.repeat)
	}
	if r.hold < 0 || r.hold > maxHold {
		return usageError("--hold %v: it takes up to %v", r.hold, maxHold)
	}
	if err := r.face.check(); err != nil {
		return err
	}
	selected, err := r.selected(args)
	if err != nil {
		return err
	}
	repeated, err := r.repeated(selected)
	if err != nil {
		return err
	}
	summaries := make([]cases.Summary, len(selected))
	runner := cases.Runner{Progress: cmd.ErrOrStderr(), Again: r.again, Patience: disturbedFor, Hold: r.hold}
	failed, ran, unjudged := false, 0, 0
	for round := range r.repeat {
		for i := range selected {
			if round > 0 && !repeated[selected[i].ID] {
				continue
			}
			if round > 0 && cmd.Context().Err() != nil {
				break
			}
			c, result := r.runCase(cmd, &runner, args, i)
			summaries[i].Case = c
			summaries[i].Rounds = append(summaries[i].Rounds, result)
			failed = failed || !result.Pass && !result.Skipped && !result.Unjudged
			if !result.Skipped {
				ran++
			}
			if result.Unjudged {
				unjudged++
			}
			if err := r.tell(cmd, result); err != nil {
				return err
			}
			if cmd.Context().Err() != nil {
				return &exitError{exitFailed, errors.New("interrupted; everything the labs made is removed")}
			}
		}
	}
	if r.markdown || r.repeat > 1 && !r.json {
		if err := r.face.print(cmd.OutOrStdout(), cases.Table(summaries), nil); err != nil {
			return err
		}
	}
	switch {
	case unjudged*provenBy > ran:
		return &exitError{exitFailed, fmt.Errorf("%d of %d runs could not be judged, as the hypervisor took CPUs away: this machine is too busy for labs", unjudged, ran)}
	case failed:
		return &exitError{exitFailed, nil}
	case ran == 0 && len(selected) > 0:
		return &exitError{exitFailed, errors.New("no case ran: " + summaries[0].Rounds[0].Why)}
	}
	return nil
}

// runCase runs one of the selected cases until it is judged. Cases keep state:
// each try takes a new one.
func (r labRun) runCase(cmd *cobra.Command, runner *cases.Runner, args []string, i int) (cases.Case, cases.Result) {
	fresh := func() cases.Case {
		list, _ := r.selected(args) // which worked before
		return list[i]
	}
	finishes(cmd.Context())
	return runner.RunUntilJudged(cmd.Context(), fresh)
}

// tell prints one result, as it comes.
func (r labRun) tell(cmd *cobra.Command, result cases.Result) error {
	switch {
	case r.json:
		return document.JSONLine(cmd.OutOrStdout(), result)
	case r.markdown:
		fmt.Fprintln(cmd.ErrOrStderr(), result.Line())
		return nil
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), result.Line())
	return err
}

// selected returns the cases that args name, in the order of the catalogue.
func (r labRun) selected(args []string) ([]cases.Case, error) {
	list := cases.All()
	if r.all {
		if len(args) > 0 {
			return nil, usageError("--all takes no cases")
		}
		return slices.DeleteFunc(list, func(c cases.Case) bool { return c.Extra }), nil
	}
	if len(args) == 0 {
		return nil, usageError("name the cases to run, or give --all; see: rtrail lab list")
	}
	wanted, err := matching(args, list)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(c cases.Case) bool { return !wanted[c.ID] }), nil
}

// repeated are the cases of which --repeat says how many rounds they run.
func (r labRun) repeated(selected []cases.Case) (map[string]bool, error) {
	if len(r.repeatOnly) == 0 {
		return matching([]string{"*/*"}, selected)
	}
	return matching(r.repeatOnly, selected)
}

// matching are the IDs of list that one of patterns matches. Each pattern must match one.
func matching(patterns []string, list []cases.Case) (map[string]bool, error) {
	ids := map[string]bool{}
	for _, pattern := range patterns {
		found := false
		for _, c := range list {
			if match, err := path.Match(pattern, c.ID); err != nil {
				return nil, usageError("pattern %q: %w", pattern, err)
			} else if match {
				ids[c.ID], found = true, true
			}
		}
		if !found {
			return nil, usageError("no case %q%s; see: rtrail lab list", pattern, nearest.Hint(pattern, caseIDs(list)))
		}
	}
	return ids, nil
}

func caseIDs(list []cases.Case) []string {
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}
