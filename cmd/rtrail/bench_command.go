package main

import (
	"context"
	"regexp"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/load"
	"rtrail/internal/bench/matrix"
)

func newBenchCommandCommand() *cobra.Command {
	b := newBenchFlags("command")
	b.plan.Warmup = 0
	var value string
	var grace int
	cmd := &cobra.Command{
		Use:   "command -o DIR --target HOST:PORT -- COMMAND ARG...",
		Short: "Run any load generator step by step, and say what limits it",
		Long: `Runs a load generator once for each step, records this host meanwhile, and
judges each step. {threads}, {rate}, {seconds} and {target} in its arguments
stand for the level, for --seconds and for the target.

Its number is what --value finds, a regular expression with one group; else
reports of ab, wrk, wrk2, sysbench and redis-benchmark are known, and of others
the last number is taken. A step is invalid if requests failed, or if the
generator was hot: one thread of it, or of what it started, was busy all the
time. Its rate is its own: --max-rate cannot hold it.

A step that takes longer than --seconds, --warmup and --grace together is ended.
With it, and with Ctrl-C, ends all that the command started, in the background
and in sessions of their own, too.

Caution: the command runs as you, with your rights. No password belongs into its
arguments, which are kept in plan.yaml and shown to all users by ps.`,
		Example: `  rtrail bench command -o runs --target web1:80 --threads 1,8,64 --seconds 30 -- \
      wrk -t2 -c{threads} -d{seconds}s --latency http://{target}/
  rtrail bench command -o runs --target [::1]:6379 -- redis-benchmark -q -t get`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.resolve(cmd); err != nil {
				return err
			}
			if len(args) > 0 {
				b.plan.Command = args
			}
			if cmd.Flags().Changed("value") {
				b.plan.Value = value
			}
			if cmd.Flags().Changed("grace") {
				if b.plan.Grace = grace; grace < 1 {
					return usageError("--grace %d: at least one second", grace)
				}
			}
			if err := b.check(); err != nil {
				return err
			}
			driver := func(e *matrix.Environment) (*load.Command, error) {
				c := &load.Command{Args: b.plan.Command, Target: e.Target, Seconds: b.plan.Seconds}
				if b.plan.Value != "" {
					var err error
					if c.Value, err = regexp.Compile(b.plan.Value); err != nil {
						return nil, usageError("--value: %v", err)
					}
				}
				if err := c.Check(); err != nil {
					return nil, usageError("%v", err)
				}
				return c, nil
			}
			if _, err := driver(&b.plan.Environments[0]); err != nil {
				return err
			}
			return b.run(cmd.Context(), &matrix.Bench{
				Driver: func(s *matrix.Step) (load.Driver, error) { return driver(s.Environment) },
				Sources: func(s *matrix.Step) (matrix.Sources, error) {
					return benchSources(cmd.Context(), s.Environment.Target, b.iface, nil)
				},
				Prepare: func(context.Context, *matrix.Environment) (map[string]string, error) { return map[string]string{}, nil },
			}, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	b.add(cmd)
	cmd.Flags().StringVar(&value, "value", "", "regular expression whose group is the number, per second")
	cmd.Flags().IntVar(&grace, "grace", matrix.DefaultGrace, "seconds that a step may take besides, to start and to print")
	return cmd
}
