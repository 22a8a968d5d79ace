package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/prepared"
	"rtrail/internal/crash"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/oncpu"
	"rtrail/internal/recording"
	"rtrail/internal/session"
)

// benchPrepared is what `rtrail bench prepared` was asked to do.
type benchPrepared struct {
	plan    prepared.Plan
	target  string
	user    string
	ask     bool
	profile bool
	face
}

func newBenchPreparedCommand() *cobra.Command {
	var j benchPrepared
	cmd := &cobra.Command{
		Use:   "prepared --target HOST:PORT",
		Short: "Measure long IN lists: text against prepared statements",
		Long: `Measures what a long IN list costs a MySQL server, sent as text (client-side,
useServerPrepStmts=false) and as a prepared statement (server-side, true), for
several lengths of SQL, and says what costs: the length, the mode or a log. As
root on the server's host it names the functions in which the time goes.

It loads what --target names: one query at a time, up to --max-time. It makes
an empty table, ` + prepared.Table + `, and drops it at the end. Logs stay as
they are, unless --toggle-logs switches the slow and the general log for the
whole server; they are put back at the end, also after Ctrl-C.

The password comes from ~/.my.cnf, or from a prompt with --ask-password.`,
		Example: `  rtrail bench prepared --target db1:3306 --user app --database test
  rtrail bench prepared --target 127.0.0.1:3306 --spaces 0,40,168 --toggle-logs`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return j.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&j.target, "target", "", "HOST:PORT that may be loaded (required)")
	f.StringVar(&j.user, "user", "", "account of the server (default: that of ~/.my.cnf)")
	f.BoolVar(&j.ask, "ask-password", false, "ask for its password on the terminal")
	f.StringVar(&j.plan.Database, "database", "test", "database for the table; it must be there")
	f.IntVar(&j.plan.Markers, "markers", 50_000, "values of the IN list")
	f.IntSliceVar(&j.plan.Spaces, "spaces", []int{0, 128}, "blanks between markers; 0: compact")
	f.IntVar(&j.plan.Rounds, "rounds", 2, "how often each is executed")
	f.DurationVar(&j.plan.Timeout, "timeout", time.Minute, "how long one query may take")
	f.DurationVar(&j.plan.MaxTime, "max-time", 10*time.Minute, "how long all may take")
	f.BoolVar(&j.plan.ToggleLogs, "toggle-logs", false, "measure with slow and general log on and off")
	f.BoolVar(&j.profile, "profile", true, "look at what a server on this host runs, as root")
	j.face.add(f, "the result")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (j *benchPrepared) run(cmd *cobra.Command) error {
	if err := j.face.check(); err != nil {
		return err
	}
	if j.target == "" {
		return usageError("%s loads a server, which may harm whoever uses it: name it, as --target HOST:PORT", cmd.CommandPath())
	}
	if err := j.plan.Check(); err != nil {
		return usageError("%v", err)
	}
	if err := checkUser(j.user); err != nil {
		return err
	}
	t, err := targetOf(j.target, j.user, j.ask, mysqlconn.Options{})
	if err != nil {
		return err
	}
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	finishes(ctx)
	b := prepared.Bench{Plan: j.plan, Target: t.Name, Driver: driverVersion(), Unprofiled: "--profile=false",
		Connect: prepared.To(t),
		Say:     func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) },
		Left:    func(words string) { leaves(ctx, words) },
	}
	switch {
	case j.profile && os.Geteuid() == 0:
		b.Unprofiled, b.Profile = "", profiler(census.New("/"))
	case j.profile:
		b.Unprofiled = "only root sees what the server runs"
	}
	result, err := b.Run(ctx)
	if result != nil && len(result.Cells) > 0 {
		err = errors.Join(err, j.print(cmd.OutOrStdout(), result.Document(), result))
	}
	return err
}

// driverVersion is the module that speaks with the server.
func driverVersion() string {
	const path = "github.com/go-sql-driver/mysql"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return path + " " + m.Version
			}
		}
	}
	return path
}

// profileLength bounds a profile.
const profileLength = 2 * prepared.MaxTime

// profiler makes a profile of what a process runs while a cell is measured.
func profiler(people *census.Census) func(context.Context, int32) func() (*prepared.Profile, error) {
	return func(ctx context.Context, pid int32) func() (*prepared.Profile, error) {
		source := event.New(oncpu.New(0), event.Options{Loader: people.Loader(), Budget: event.DefaultBudget})
		watched := session.Start(session.Options{What: "this host", Probes: []probe.Probe{source}, Length: profileLength, About: manifest()})
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		var e *session.Evidence
		ended := make(chan error, 1)
		go func() {
			ended <- crash.Guard(func() (err error) {
				e, err = watched.Evidence(ctx)
				return err
			})
		}()
		return func() (*prepared.Profile, error) {
			defer watched.Close()
			stop()
			if err := <-ended; err != nil {
				return nil, err
			}
			if err := watched.Missing(); err != nil {
				return nil, err
			}
			return prepared.Sum(recording.Rows[recording.OnCPUSample](e.Recording), pid), nil
		}
	}
}
