package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/audit"
	"rtrail/internal/privilege"
	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/cgroup"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/process"
	"rtrail/internal/probe/socket"
	"rtrail/internal/recording"
	"rtrail/internal/session"
)

const (
	// auditWatch is how long the host is looked at: settings do not move.
	auditWatch = time.Second
	// auditWindow is how much of a recording is read for them.
	auditWindow = time.Minute
)

// auditJob is what `rtrail audit` was asked to do.
type auditJob struct {
	at string
	face
	all bool
}

func newAuditCommand() *cobra.Command {
	var a auditJob
	cmd := &cobra.Command{
		Use:   "audit [RECORDING]",
		Short: "Settings of this host that are wrong before anything hurts",
		Long: `Looks at the settings of this host, or of a recording, that make it slow or fail
some day: MTU, queues and port ranges of the network, swappiness and huge pages
beside a database, dirty pages, the clock source, the CPU governor, interrupts,
limits of services, control groups and Java heaps.

Each remark says what is set, why it matters, what a change costs, and who
should leave it alone. None is more than possible: a setting is no fault until
somebody waits for it. Defaults of the kernel are no remark by themselves.
"rtrail" cites a setting where it explains what it found.

Variables of MySQL: rtrail mysql audit.`,
		Example: `  sudo rtrail audit
  sudo rtrail audit -v                 also what passed, and what was not there
  rtrail audit /var/log/rtrail --at 03:00
  sudo rtrail audit --json | jq -r '.settings[] | .check + " " + .words'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%d recordings given: one can be looked at, at a time", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.evidence(cmd, args)
			if err != nil {
				return err
			}
			return a.show(cmd.OutOrStdout(), e)
		},
	}
	f := cmd.Flags()
	f.StringVar(&a.at, "at", "", "settings of a recording at this time (default: its end): "+momentForms)
	a.face.add(f, "the audit")
	f.BoolVarP(&a.all, "verbose", "v", false, "also show the checks that passed or had nothing to judge")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// evidence looks at this host, or reads a recording.
func (a *auditJob) evidence(cmd *cobra.Command, args []string) (*session.Evidence, error) {
	if err := a.face.check(); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		if a.at != "" {
			return nil, usageError("--at needs a recording to look into")
		}
		return a.live(cmd.Context(), cmd.ErrOrStderr())
	}
	if err := checkThere(cmd, args); err != nil {
		return nil, err
	}
	if !isRecording(args[0]) {
		return nil, usageError("%s is no recording: settings are in recordings of rtrail record only", args[0])
	}
	confine(cmd.ErrOrStderr(), privilege.Needs{Read: args})
	replay := &session.Replay{Path: args[0], Window: session.Window{Length: auditWindow}}
	replay.At = func(held recording.Window) (from, to time.Time, note string, err error) {
		if a.at != "" {
			from, note, err = moment(a.at, auditWindow, held, time.Now())
			return from, to, note, err
		}
		return later(held.To.Add(-auditWindow), held.From), held.To, "", nil
	}
	return replay.Evidence(cmd.Context())
}

func (a *auditJob) live(ctx context.Context, stderr io.Writer) (*session.Evidence, error) {
	finishes(ctx)
	watches(stderr, false)
	people := census.New("/")
	watched := session.Start(session.Options{What: "this host", Length: auditWatch, About: manifest(),
		Probes: []probe.Probe{host.New(host.FS{}), process.New(people), socket.New(people), cgroup.New()}})
	defer watched.Close()
	return watched.Evidence(ctx)
}

func (a *auditJob) show(out io.Writer, e *session.Evidence) error {
	v := e.View()
	report := audit.Of(v)
	about := v.Manifest()
	notes := e.Notes
	if !about.Host.Root {
		notes = append(notes, "without root the limits, sockets and control groups of other users are not seen, and settings of other network namespaces: sudo rtrail audit")
	}
	return a.face.print(out, report.Document(about.Host, notes, a.all || a.markdown), report.Result(about.Host, about.Tool, notes))
}
