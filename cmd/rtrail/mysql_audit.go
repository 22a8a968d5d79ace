package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/mysqlview"
	"rtrail/internal/mysqlview/audit"
	"rtrail/internal/probe"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/session"
)

// mysqlAudit is what `rtrail mysql audit` was asked to do.
type mysqlAudit struct {
	access mysqlFlags
	length time.Duration
	face
	all bool
}

func newMySQLAuditCommand() *cobra.Command {
	var a mysqlAudit
	cmd := &cobra.Command{
		Use:   "audit [SERVER]",
		Short: "Go through the variables of a MySQL server that matter when it is slow",
		Long: `Watches a server for ten seconds and lists the variables that matter for its
symptoms: value, default of that release, meaning, price of a change, and
whether it needs a restart.

It recommends a change only with evidence from the server's counters and
sessions in this window, so run it while the server is slow. Values that merely
differ from the default are listed as such. Two recommendations never contradict
each other: if there is evidence for both, the weaker one is withheld with a
note.`,
		Example: `  rtrail mysql audit
  rtrail mysql audit monitor@db1:3306 --for 1m
  rtrail mysql audit root@/run/mysqld/mysqld.sock --json | jq '.settings[] | select(.advice)'`,
		Args: oneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.face.check(); err != nil {
				return err
			}
			if a.length <= 0 {
				return usageError("--for %v: the time must be positive", a.length)
			}
			if a.length < 2*time.Second {
				return usageError("--for %v: rates need two seconds at least", a.length)
			}
			source, name, err := a.access.one(cmd.Context(), args)
			if err != nil {
				return err
			}
			if !a.access.leaveHost(cmd.Context(), cmd.ErrOrStderr()) {
				watches(cmd.ErrOrStderr(), false)
			}
			return a.run(cmd.Context(), source, name, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&a.length, "for", 10*time.Second, "how long to look for evidence")
	a.face.add(f, "the audit")
	f.BoolVarP(&a.all, "verbose", "v", false, "show all variables, also those that are as by default")
	a.access.addAccess(f)
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (a *mysqlAudit) run(ctx context.Context, source *mysql.Probe, name string, out, stderr io.Writer) error {
	finishes(ctx)
	watched := session.Start(session.Options{What: name, Probes: []probe.Probe{host.New(host.FS{}), source}, Length: a.length, About: manifest()})
	defer watched.Close()
	if err := watched.Missing(); err != nil {
		return err
	}
	progress := startProgress(stderr, "watching", a.length)
	e, err := watched.Evidence(ctx)
	progress.stop()
	if err != nil {
		return err
	}
	v := e.View()
	servers := v.MySQLServers()
	if len(servers) == 0 {
		return fmt.Errorf("asking %s: no answer within %v", name, a.length)
	}
	report, ok := audit.Of(v, servers[0])
	if !ok {
		last := servers[0].Looks[len(servers[0].Looks)-1]
		row := mysqlview.Row{Server: last.Server, State: last.State, Error: last.Error, Waited: last.Waited, Answer: last.Answer}
		if row.Answers() {
			return fmt.Errorf("asking %s: its variables could not be read", last.Server)
		}
		return failure(&row, a.access.notes)
	}
	if report.Facts.Window <= 0 && report.Facts.Silent != "" {
		return fmt.Errorf("asking %s: it answered one look only; %s", report.Server, report.Facts.Silent)
	}
	return a.face.print(out, report.Document(a.all || a.markdown), report.Result())
}
