package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rtrail/internal/escape"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlview"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/recording"
)

// mysqlJob is what `rtrail mysql` was asked to do.
type mysqlJob struct {
	access mysqlFlags
	length time.Duration
	every  time.Duration
	top    int
	json   bool
	full   bool
	iface  string
	ports  string
	netns  string
}

func newMySQLCommand() *cobra.Command {
	var m mysqlJob
	cmd := &cobra.Command{
		Use:   "mysql [SERVER]",
		Short: "One line a second: a MySQL server beside its host; audit of its variables",
		Long: `Prints a line a second about a MySQL, MariaDB or Percona server, and about its
host if it runs here: load and CPU, statements, buffer pool, threads, InnoDB,
the worst group of the thread pool; with -i also response times from packets.
Ctrl-C ends with a summary. If the server does not answer, the line says so, and
since when.

SERVER is USER@HOST:PORT, USER@/PATH/TO.SOCK or any other form that the mysql
client takes. Missing user and password come from ~/.my.cnf and ~/.mylogin.cnf
(?login-path=NAME selects an entry of the latter). Without SERVER it is the
server in ~/.my.cnf, else the one that runs on this host.

docs/mysql.md explains the columns. "-" means unknown, as the numbers of the
host do when the server runs elsewhere.`,
		Example: `  rtrail mysql                             the server on this host
  rtrail mysql monitor@db1:3306 --for 1m
  rtrail mysql root@/run/mysqld/mysqld.sock --full
  sudo rtrail mysql root@127.0.0.1 -i lo      with response times from packets
  rtrail mysql monitor@db1 --json | jq .threads_running
  rtrail mysql audit monitor@db1`,
		Args: oneServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.check(cmd); err != nil {
				return err
			}
			source, name, err := m.access.one(cmd.Context(), args)
			if err != nil {
				return err
			}
			// Capturing takes capabilities. To change the user does, too, which watching gives up.
			if m.iface != "" || !m.access.leaveHost(cmd.Context(), cmd.ErrOrStderr()) {
				watches(cmd.ErrOrStderr(), false)
			}
			return m.run(cmd.Context(), source, name, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&m.length, "for", 0, "how long to watch (default: until Ctrl-C)")
	f.DurationVar(&m.every, "every", time.Second, "time per line: a second or more")
	f.IntVar(&m.top, "top", 10, "statements in the summary")
	f.BoolVar(&m.json, "json", false, "print a JSON object per line")
	f.BoolVar(&m.full, "full", false, "full screen: statements, locks, sessions and thread pool beside the numbers")
	f.StringVarP(&m.iface, "interface", "i", "", "capture packets on this interface for response times (any: on all)")
	f.StringVarP(&m.ports, "port", "p", "", "ports of the server in the capture (default: the one it is asked at, else 3306)")
	f.StringVar(&m.netns, "netns", "", "capture in this network namespace: a name, a path or a PID")
	m.access.addAccess(f)
	cmd.SetFlagErrorFunc(flagError)
	cmd.AddCommand(newMySQLAuditCommand())
	return cmd
}

// oneServer is the arguments of verbs that look at a server.
func oneServer(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("%d servers given: one can be looked at, at a time", len(args))
	}
	return nil
}

// check refuses what cannot be meant.
func (m *mysqlJob) check(cmd *cobra.Command) error {
	switch {
	case m.every < time.Second:
		return usageError("--every %v: the shortest is 1s, to spare the server", m.every)
	case cmd.Flags().Changed("for") && m.length <= 0:
		return usageError("--for %v: the time must be positive", m.length)
	case m.json && m.full:
		return usageError("--json and --full exclude each other")
	case m.netns != "" && m.iface == "":
		return usageError("--netns needs an interface: -i IF")
	case m.ports != "" && m.iface == "":
		return usageError("-p says which packets count: it needs an interface, -i IF")
	case m.top < 0:
		return usageError("--top %d: the number must not be negative", m.top)
	}
	if _, tty := terminalWidth(cmd.OutOrStdout()); m.full && (!tty || !term.IsTerminal(int(os.Stdin.Fd()))) {
		return usageError("--full needs a terminal; without it lines are printed")
	}
	return nil
}

// one is the probe for the server that is named, on the command line or in the
// user's own option files, or for the only one of this host, and its name in
// evidence.
func (m *mysqlFlags) one(ctx context.Context, args []string) (source *mysql.Probe, name string, err error) {
	files := mysqlconn.ReadOptionFiles("/", os.Getenv)
	m.notes = files.Notes
	options := mysqlconn.Options{TLS: m.tls, CA: m.ca, AdminPort: m.adminPort}
	if len(args) == 0 {
		if target, ok := mysqlconn.Placed(files, options); ok {
			if err := checkAdminPort(m.adminPort); err != nil {
				return nil, "", err
			}
			if err := target.Check(); err != nil {
				return nil, "", usageError("server of the option files, %s: %w", target.Name, err)
			}
			m.asked = &target
			return mysql.New([]mysqlconn.Target{target}, nil, m.options()), target.Name, nil
		}
		return m.only(ctx)
	}
	server := takeServerName(args[0])
	target, err := mysqlconn.Parse(server, files, options)
	if err != nil {
		return nil, "", usageError("server: %w", err)
	}
	m.asked = &target
	source, err = m.probeOf(ctx, []string{server}, nil)
	return source, target.Name, err
}

// only is the server of this host, if there is one.
func (m *mysqlFlags) only(ctx context.Context) (*mysql.Probe, string, error) {
	source, err := m.probeOf(ctx, []string{mysqlAuto}, nil)
	if err != nil {
		return nil, "", err
	}
	switch hidden := source.Hidden(); {
	case source.Servers() == 1:
		return source, "", nil
	case source.Servers() > 1:
		names := source.Names()
		for _, h := range hidden {
			names = append(names, h.Describe())
		}
		return nil, "", usageError("%d servers run on this host: %s; name one, as USER@/PATH/TO.SOCK or USER@HOST:PORT", len(names), strings.Join(names, ", "))
	case len(hidden) > 0:
		return nil, "", &exitError{exitFailed, fmt.Errorf("asking %s: %s; %s", hidden[0].Describe(), hidden[0].Why, hidden[0].How)}
	}
	return nil, "", usageError("no MySQL server runs on this host: name one, as USER@HOST:PORT")
}

// run watches the server.
func (m *mysqlJob) run(ctx context.Context, source *mysql.Probe, name string, out, stderr io.Writer) error {
	finishes(ctx)
	watch, err := m.watch(ctx, source, name)
	if err != nil {
		return err
	}
	defer watch.close()
	if m.full {
		return watch.screen()
	}
	return watch.lines(out, stderr)
}

// failure is the error of a run in which the server never answered; notes tell of
// option files that were left out.
func failure(last *mysqlview.Row, notes []string) error {
	if last == nil {
		return errors.New("asking the server: it was not looked at")
	}
	state, said, _ := strings.Cut(mysqlview.Trouble(last), ":")
	err := fmt.Errorf("asking %s: %s:%s", last.Server, strings.ToLower(state), said)
	switch last.State {
	case recording.ServerDenied:
		err = fmt.Errorf("%w; user and password come from the server's name, else from ~/.mylogin.cnf or ~/.my.cnf", err)
		// The password may be in a file that was left out.
		for _, note := range notes {
			err = fmt.Errorf("%w; not read: %s", err, note)
		}
	case recording.ServerMisnamed:
		// The state's name says nothing to people that the text does not.
		err = fmt.Errorf("asking %s: %s; %s", last.Server, escape.Line(last.Error), mysqlconn.Remedy(last.Error))
	}
	return err
}

// isHere says whether the server's host is this one: its process was found, or
// nobody may look for it and it is at an address of this host.
func isHere(s *recording.MySQLServer) bool {
	return s.PID > 0 || os.Geteuid() != 0 && mysqlview.OwnAddress(s.Server)
}
