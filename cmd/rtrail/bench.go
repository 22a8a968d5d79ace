package main

import "github.com/spf13/cobra"

func newBenchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Test load: run it, say what saturates, compare results",
		Long: `Load tests that say what saturates. Results are folders with a file runs.jsonl:
a line for each run, with what clients got and what the host did in its seconds.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newBenchMySQLCommand(),
		newBenchHTTPCommand(),
		newBenchCommandCommand(),
		newBenchReportCommand(),
		newBenchCompareCommand(),
		newBenchPreparedCommand(),
		newBenchHistoryCommand(),
		newBenchWatchCommand(),
		newBenchBaselineCommand(),
	)
	return cmd
}
