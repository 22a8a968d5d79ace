package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/probe/census"
	"rtrail/internal/session"
	"rtrail/internal/shell"
)

// watchJob is what `rtrail watch` was asked to do.
type watchJob struct {
	nightWatch
	length   time.Duration
	interval time.Duration
	packets  captureFlags
	mysql    mysqlFlags
	events   eventFlags

	lengthGiven bool
}

func newWatchCommand() *cobra.Command {
	var w watchJob
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch this host and say when a fault begins and ends",
		Long: `Watches this host until Ctrl-C and judges the last ten seconds every ten
seconds. Prints a line when a fault begins, gets another cause, or ends, and
hands each of these notices to whoever --notify names:

  exec:COMMAND ARG...          a command; the notice is its standard input, its
                               fields are in RTRAIL_EVENT, RTRAIL_RULE, ...
                               No shell is involved.
  https://HOST/PATH            a webhook, by POST of JSON; http works, too
  alertmanager+https://HOST:PORT   an Alertmanager
  @FILE                        a file with one of these: hides it from ps

A fault begins when two windows in a row have it, or one if it is certain and
costly; it ends when two judged windows do not have it. One that comes back
within five minutes is the same fault. Findings that are only possible are not
told. A receiver that fails is tried again; with --state also after a restart.

With -i packets are captured, too; they are judged by intervals of ten seconds.`,
		Example: `  sudo rtrail watch
  sudo rtrail watch -i eth0 -p 3306
  sudo rtrail watch --json | jq -r 'select(.event != "watching") | .headline'
  sudo rtrail watch --notify 'exec:/usr/local/bin/tell-oncall db'
  sudo rtrail watch --notify alertmanager+http://localhost:9093`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.lengthGiven = cmd.Flags().Changed("for")
			return w.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	w.nightWatch.add(f, "")
	f.BoolVar(&w.json, "json", false, "print one JSON object per line")
	f.DurationVar(&w.length, "for", 0, "how long to watch (default: until Ctrl-C)")
	f.DurationVar(&w.interval, "interval", time.Second, "time between two samples")
	w.packets.add(f)
	w.mysql.add(f)
	w.events.add(f)
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (w *watchJob) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case w.lengthGiven && w.length <= 0:
		return usageError("--for %v: the time must be positive", w.length)
	case w.interval < 100*time.Millisecond:
		return usageError("--interval %v: the shortest is 100ms", w.interval)
	}
	if err := w.packets.check(false); err != nil {
		return err
	}
	if err := w.mysql.check(len(w.mysql.names) > 0 && !w.mysql.none()); err != nil {
		return err
	}
	if err := w.nightWatch.check(w.interval); err != nil {
		return err
	}
	finishes(ctx)
	watches(stderr, w.keeps() != "")
	collectBy(percentToWatch)
	slowMonitor()
	giveStartBack()
	host, err := startLasting(ctx, session.Options{Interval: w.interval, Keep: w.keep(w.interval)}, &w.packets, &w.mysql, &w.events)
	if err != nil {
		return err
	}
	defer host.Close()
	w.see = func(time.Time) string { return asOverridden(shell.Line("sudo rtrail")).String() }
	runs, stop, err := w.nightWatch.start(ctx, host, stdout, stderr)
	if err != nil {
		return err
	}
	length := w.length
	if length == 0 {
		length = withoutEnd
	}
	return stop(host.Run(runs, length))
}

// startLasting starts a run without end: of this host, of events, of packets, and of servers
// that were named.
func startLasting(ctx context.Context, o session.Options, p *captureFlags, m *mysqlFlags, e *eventFlags) (*session.Live, error) {
	people := census.New("/")
	events, err := e.probes(people)
	if err != nil {
		return nil, err
	}
	o.What, o.About, o.Probes = "this host", manifest(), append(probes(people, false), events...)
	servers, err := m.probe(ctx, false, nil)
	if err != nil {
		return nil, err
	}
	var ports []uint16
	if servers != nil {
		o.Probes, ports = append(o.Probes, servers), servers.Ports()
	}
	var unopened error
	if p.iface != "" {
		o.Probes = append(o.Probes, p.probe(ports, lastingInterval, &unopened))
	}
	host := session.Start(o)
	if unopened != nil {
		host.Close()
		return nil, unopened
	}
	return host, nil
}
