package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/compare"
	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/nearest"
	"rtrail/internal/page"
	"rtrail/internal/privilege"
)

// benchRuns is what verbs have in common that read the runs of several load tests.
type benchRuns struct {
	metrics []string
	face
	pageFlag
}

// someRuns refuses a command line without files; example has some.
func someRuns(example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError("nothing is given: name files or folders with runs, as %s", example)
		}
		return nil
	}
}

// add gives a verb the flags; what is the answer: "the comparison".
func (b *benchRuns) add(cmd *cobra.Command, what, metrics string) {
	f := cmd.Flags()
	f.StringSliceVar(&b.metrics, "metric", nil, metrics)
	b.face.add(f, what)
	b.pageFlag.add(f, what)
	cmd.SetFlagErrorFunc(flagError)
}

// read reads the runs, and chooses metrics if none are given.
func (b *benchRuns) read(cmd *cobra.Command, args []string) (*compare.Input, error) {
	if err := b.face.check(); err != nil {
		return nil, err
	}
	if err := checkMetrics(b.metrics); err != nil {
		return nil, err
	}
	in, err := readRuns(cmd, args, output{"--html", b.html})
	if err == nil && len(b.metrics) == 0 {
		b.metrics = in.DefaultMetrics()
	}
	return in, err
}

// answer prints the answer, and writes the page if one is wanted, with curves. more says what of these is not drawn.
func (b *benchRuns) answer(cmd *cobra.Command, answer document.Document, result any, curves func() (all []chart.Curve, more string)) error {
	if b.html != "" {
		p := page.Page{Document: answer}
		var more string
		if p.Curves, more = curves(); more != "" {
			p.Document.Blocks = append(slices.Clone(answer.Blocks), document.Prose{Label: "NOTE", Words: more})
		}
		if err := b.write(cmd.Context(), p); err != nil {
			return err
		}
	}
	return b.print(cmd.OutOrStdout(), answer, result)
}

// checkMetrics refuses names that are none of numbers of a run.
func checkMetrics(names []string) error {
	for _, m := range names {
		if !slices.Contains(compare.Metrics(), m) {
			return usageError("--metric %q: no such metric%s; there are %s", m, nearest.Hint(m, compare.Metrics()), strings.Join(compare.Metrics(), ", "))
		}
	}
	return nil
}

// readRuns reads the runs of files and folders.
func readRuns(cmd *cobra.Command, args []string, outputs ...output) (*compare.Input, error) {
	files, err := compare.Files(args)
	if err != nil {
		return nil, err
	}
	var paths, reads, writes []string
	for _, f := range files {
		paths, reads = append(paths, f.Path), append(reads, f.Reads()...)
	}
	if err := checkOutputs(outputs, paths); err != nil {
		return nil, err
	}
	for _, o := range outputs {
		writes = append(writes, o.path)
	}
	confine(cmd.ErrOrStderr(), privilege.Needs{Read: reads, Write: writes})
	return compare.Read(cmd.Context(), files)
}
