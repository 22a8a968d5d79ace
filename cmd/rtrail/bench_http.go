package main

import (
	"context"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/load"
	"rtrail/internal/bench/matrix"
)

func newBenchHTTPCommand() *cobra.Command {
	b := newBenchFlags("http")
	b.plan.Scheme, b.plan.KeepAlive = "http", true
	var paths []string
	var scheme string
	var keepAlive bool
	cmd := &cobra.Command{
		Use:   "http -o DIR --target HOST:PORT",
		Short: "Load a web server at a given rate, or by a number of clients",
		Long: `Asks a web server for a path (GET), step by step, and says what limits each
step.

--rates is an open loop: requests begin at a given rate, whatever the server
does, and their times count from when they were to begin, so that a stall counts
for all it keeps waiting. --threads is a closed loop: so many clients, each of
which waits for its answer before it asks again.

Answers with a status of 400 or more, or none, make a step invalid. Redirects
are not followed. See "rtrail bench mysql --help" for what a step is.`,
		Example: `  rtrail bench http -o runs --target web1:80 --rates 1000,5000,10000
  rtrail bench http -o runs --target web1:443 --scheme https --path /,/api \
      --threads 1,8,64 --keep-alive=false`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.resolve(cmd); err != nil {
				return err
			}
			given := cmd.Flags().Changed
			if given("path") || len(b.plan.Scenarios) == 0 {
				b.plan.Scenarios = paths
			}
			if given("scheme") {
				b.plan.Scheme = scheme
			}
			if given("keep-alive") {
				b.plan.KeepAlive = keepAlive
			}
			if err := b.check(); err != nil {
				return err
			}
			driver := func(s *matrix.Step) *load.HTTP {
				return &load.HTTP{Target: s.Environment.Target, Scheme: b.plan.Scheme, Path: s.Scenario, KeepAlive: b.plan.KeepAlive, Connections: b.plan.Connections, Warmup: b.plan.Warmup, Seconds: b.plan.Seconds}
			}
			steps := b.plan.Steps()
			for i := range steps {
				if err := driver(&steps[i]).Check(); err != nil {
					return usageError("%v", err)
				}
			}
			return b.run(cmd.Context(), &matrix.Bench{
				Driver: func(s *matrix.Step) (load.Driver, error) { return driver(s), nil },
				Sources: func(s *matrix.Step) (matrix.Sources, error) {
					sources, err := benchSources(cmd.Context(), s.Environment.Target, b.iface, nil)
					sources.PlainHTTP = b.plan.KeepAlive && b.plan.Scheme == "http"
					return sources, err
				},
				Prepare: func(context.Context, *matrix.Environment) (map[string]string, error) { return map[string]string{}, nil },
			}, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	b.add(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&paths, "path", []string{"/"}, "path to ask for; several are scenarios")
	f.StringVar(&scheme, "scheme", b.plan.Scheme, "http or https")
	f.BoolVar(&keepAlive, "keep-alive", true, "keep connections for the next request")
	f.IntVar(&b.plan.Connections, "connections", load.DefaultConnections, "with --rates: connections at most")
	return cmd
}
