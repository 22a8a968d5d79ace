package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/imported"
	"rtrail/internal/nearest"
	"rtrail/internal/privilege"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/process"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/session"
	"rtrail/internal/traffic/picture"
	"rtrail/internal/verdict"
)

// diagnosis is what `rtrail diagnose` was asked to do.
type diagnosis struct {
	length   time.Duration
	interval time.Duration
	at       string
	from, to string
	face
	verbose bool
	failOn  string

	captureFlags
	probeDNS bool // name servers are asked

	sides sidesFlags // captures of both sides
	mysql mysqlFlags // servers beside the host
	prom  prometheusFlags

	events  eventFlags // of the kernel, while the host is watched
	profile profileFlags
	pageFlag

	evidence *session.Evidence // that was judged
	drawn    *picture.Picture  // what was seen of packets as they were read; nil: tables tell it
}

func newDiagnoseCommand() *cobra.Command {
	var d diagnosis
	cmd := &cobra.Command{
		Use:   "diagnose [EVIDENCE]",
		Short: "Watch this host, or read a recording or captures, and say why it is slow",
		Long: `Watches this host for ten seconds, or reads evidence, and prints a ranked
verdict: what makes it slow, who causes it, the numbers that prove it, and what
to do. What it cannot judge is listed; a healthy host has no findings.

EVIDENCE is one of
  - a recording of "rtrail record": a directory or an .rtr file
  - packet captures: pcap or pcapng, also compressed; "-" is standard input
  - stack dumps in any format that "rtrail stacks" reads
  - slow query logs of MySQL, MariaDB or Percona Server, also compressed
  - reports of sar, vmstat, iostat -x, mpstat, pidstat or top -b of one host,
    a directory of pt-stalk, a tar with two copies of /proc, answers of
    node_exporter or JSON of Prometheus; beside them stack dumps and captures
With -i packets are captured while the host is watched. With --mysql a MySQL
server is queried, too; servers on this host are found if root, or the account
in ~/.my.cnf or ~/.mylogin.cnf, may log in (--mysql off skips them).
--client-side and --server-side take captures of the same traffic at both ends:
the verdict then says whether client, server or the path between is slow.
--prometheus URL asks a Prometheus what node_exporter told of --instance; no
other evidence makes rtrail use the network.`,
		Example: `  sudo rtrail                        watch for 10 s
  sudo rtrail diagnose --for 1m      watch for longer
  rtrail diagnose night.rtr --at 03:00 --for 2m
  rtrail diagnose night.rtr --from 02:55 --to 03:10
  rtrail diagnose slow.pcap
  rtrail diagnose gdb.txt jstack.txt
  rtrail diagnose mysql-slow.log
  rtrail diagnose vmstat.txt iostat.txt pidstat.txt
  rtrail diagnose vmstat.txt eth0.pcap
  rtrail diagnose --client-side app.pcap --server-side db.pcap
  sudo rtrail diagnose -i eth0 -p 3306
  sudo rtrail diagnose --mysql root@localhost
  rtrail diagnose --prometheus http://prom:9090 --instance db1:9100 --at 03:00
  sudo rtrail --json | jq '.findings[].headline'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&d.length, "for", 10*time.Second, "how long to watch, or how much of a recording to judge")
	f.DurationVar(&d.interval, "interval", 0, "time between two samples (default 1s, and more in windows of over 30s)")
	f.StringVar(&d.at, "at", "", "judge a recording, or captures, from this time on: "+momentForms)
	f.StringVar(&d.from, "from", "", "instead of --at: judge all from this time on ...")
	f.StringVar(&d.to, "to", "", "... up to this time")
	d.face.add(f, "the verdict")
	d.pageFlag.add(f, "the verdict")
	f.BoolVarP(&d.verbose, "verbose", "v", false, "show all evidence, all probes and all processes")
	d.captureFlags.add(f)
	f.BoolVar(&d.probeDNS, "probe-dns", false, "also send a query to each name server of resolv.conf and to those that systemd-resolved asks, here and in other network namespaces")
	d.sides.add(f)
	d.mysql.add(f)
	d.prom.add(f, "judge", "the last 10m, or --at and --for")
	d.events.add(f)
	d.profile.add(f)
	f.StringVar(&d.failOn, "fail-on", "", "exit with code 3 if a finding has at least this confidence: possible, likely, certain")
	thresholds{}.add(f, "")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (d *diagnosis) run(cmd *cobra.Command, args []string) error {
	if err := d.check(cmd, args); err != nil {
		return err
	}
	v, err := d.judge(cmd, args)
	if err != nil {
		return err
	}
	answer := report.Compose(v, d.verbose || d.markdown)
	if err := d.face.print(cmd.OutOrStdout(), answer, report.NewDocument(v)); err != nil {
		return err
	}
	if d.html != "" {
		p, err := d.page(cmd.Context(), v, args)
		if err == nil {
			err = d.pageFlag.write(cmd.Context(), p)
		}
		if err != nil {
			return err
		}
	}
	if why, baseless := v.Baseless(); baseless {
		return fmt.Errorf("judging %s: %s", v.Captures[0].Source, why)
	}
	if sure, ok := confidences[d.failOn]; ok {
		for _, f := range v.Findings {
			if f.Confidence >= sure {
				return &exitError{code: exitFound}
			}
		}
	}
	return nil
}

// judge watches this host, or reads the evidence.
func (d *diagnosis) judge(cmd *cobra.Command, args []string) (verdict.Verdict, error) {
	ctx := cmd.Context()
	if d.prom.given() {
		return d.fromPrometheus(ctx, cmd.Flags().Changed("for"), cmd.ErrOrStderr())
	}
	if len(args) == 0 && !d.sides.given() {
		return d.live(ctx, cmd.ErrOrStderr())
	}
	confine(cmd.ErrOrStderr(), privilege.Needs{Read: slices.Concat(args, d.sides.client, d.sides.server), Write: []string{d.profile.flame, d.profile.pprof, d.html}, Run: imported.Sadf()})
	if d.sides.given() {
		return d.judged(ctx, &session.BothSides{Client: d.sides.client, Server: d.sides.server, Ports: d.only, DecodeAs: d.as})
	}
	window := d.window(cmd.Flags().Changed("for"))
	kind, err := evidenceIn(args)
	switch {
	case err != nil:
		return verdict.Verdict{}, err
	case len(d.as) > 0 && kind != ofCaptures && kind != ofReports:
		return verdict.Verdict{}, errDecodeAs
	case d.profile.given() && kind != ofRecording:
		return verdict.Verdict{}, errProfile
	}
	switch kind {
	case ofRecording:
		e, err := (&session.Replay{Path: args[0], Window: window}).Evidence(ctx)
		if err != nil {
			return verdict.Verdict{}, err
		}
		return d.verdict(ctx, e, args[0])
	case ofStacks:
		return d.fromStacks(ctx, args, cmd.InOrStdin())
	case ofSlowLogs:
		return d.judged(ctx, &session.SlowLogs{Files: args})
	case ofReports:
		return d.fromReports(ctx, args, window)
	default:
		return d.captured(ctx, args, cmd.InOrStdin(), window)
	}
}

// errDecodeAs refuses --decode-as where no packets are read.
var errDecodeAs = usageError("--decode-as says how to read packets: it needs captures, or an interface: -i IF")

var confidences = map[string]rule.Confidence{"possible": rule.Possible, "likely": rule.Likely, "certain": rule.Certain}

// check refuses what cannot be meant, as far as that shows without reading a file.
func (d *diagnosis) check(cmd *cobra.Command, args []string) error {
	if err := d.captureFlags.check(len(args) > 0 || d.sides.given() || d.prom.given()); err != nil {
		return err
	}
	if err := d.prom.check("files, -i, --mysql, --probe-dns, --alloc, --flame, --pprof and --decode-as",
		len(args) > 0 || d.sides.given() || d.iface != "" || len(d.mysql.names) > 0 || d.probeDNS || d.events.alloc != 0 || d.profile.given() || len(d.as) > 0 || d.ports != ""); err != nil {
		return err
	}
	if err := d.sides.check(args, d.iface); err != nil {
		return err
	}
	if err := d.face.check(); err != nil {
		return err
	}
	outputs := []output{{"--html", d.html}, {"--flame", d.profile.flame}, {"--pprof", d.profile.pprof}}
	if err := checkOutputs(outputs, slices.Concat(args, d.sides.client, d.sides.server)); err != nil {
		return err
	}
	if len(args) == 0 && !d.sides.given() {
		if err := checkFolders(outputs); err != nil {
			return err
		}
	}
	missing := checkThere(cmd, args)
	switch {
	case d.iface != "" && len(args) > 0:
		return usageError("-i watches this host: it does not go with %s", args[0])
	case len(d.mysql.names) > 0 && (len(args) > 0 || d.sides.given()):
		return usageError("--mysql watches this host and a server: it does not go with evidence of another time")
	case d.probeDNS && (len(args) > 0 || d.sides.given()):
		return usageError("--probe-dns sends queries now: it does not go with evidence of another time")
	case d.events.alloc != 0 && (len(args) > 0 || d.sides.given()):
		return usageError("--alloc watches a process of this host: it does not go with evidence of another time")
	case d.profile.given() && d.sides.given():
		return errProfile
	case d.length <= 0:
		return usageError("--for %v: the time must be positive", d.length)
	case cmd.Flags().Changed("interval") && d.interval < 100*time.Millisecond:
		return usageError("--interval %v: the shortest is 100ms", d.interval)
	case (d.at != "" || d.from != "" || d.to != "") && len(args) == 0 && !d.prom.given():
		return usageError("--at, --from and --to need a recording to look into")
	case (d.from != "" || d.to != "") && (d.at != "" || cmd.Flags().Changed("for")):
		return usageError("--from and --to say which time is meant: they do not go with --at and --for")
	}
	if _, ok := confidences[d.failOn]; d.failOn != "" && !ok {
		return usageError("--fail-on %q: it takes possible, likely or certain", d.failOn)
	}
	// Without --mysql those of this host are found.
	if err := d.mysql.check(len(args) == 0 && !d.prom.given() && !d.sides.given() && !d.mysql.none()); err != nil {
		return err
	}
	return missing
}

// checkThere refuses files that are not there, which may be mistyped verbs.
func checkThere(cmd *cobra.Command, args []string) error {
	for i, name := range args {
		if name == "-" {
			continue
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if i > 0 || cmd != cmd.Root() {
			return usageError("%s: no such file", name)
		}
		var verbs []string
		for _, c := range cmd.Root().Commands() {
			verbs = append(verbs, c.Name())
		}
		return usageError("%s: no such file, and no such verb%s", name, nearest.Hint(name, verbs))
	}
	return nil
}

// maxSamples bounds the evidence of a live run, which is held in memory: 30
// samples of a host with a thousand processes and five thousand sockets take
// about 90 MB of the process.
const maxSamples = 30

// pace is the time between two samples: what the user wants, else a second, or
// more in a long window.
func (d *diagnosis) pace() time.Duration {
	if d.interval > 0 {
		return d.interval
	}
	return max(time.Second, d.length/maxSamples)
}

// live watches this host.
func (d *diagnosis) live(ctx context.Context, stderr io.Writer) (verdict.Verdict, error) {
	finishes(ctx)
	watches(stderr, false)
	collectBy(percentToWatch)
	slowMonitor()
	people := census.New("/")
	events, err := d.events.probes(people)
	if err != nil {
		return verdict.Verdict{}, err
	}
	sources := append(probes(people, d.probeDNS), events...)
	servers, err := d.mysql.probe(ctx, true, people)
	if err != nil {
		return verdict.Verdict{}, err
	}
	var host *session.Live
	var mysqlPorts []uint16
	var unopened error
	if servers != nil {
		sources = append(sources, servers, stack.NewBeside(func() []int32 { return localServers(host.Recording()) }))
		mysqlPorts = servers.Ports()
	}
	if d.iface != "" {
		d.captureFlags.second = d.draws()
		sources = append(sources, d.captureFlags.probe(mysqlPorts, 0, &unopened))
	}
	about := manifest()
	about.Started = time.Now()
	// The first sample takes the count that servers were found in, unless that is
	// too old. The window must not begin after it.
	if counted, _ := people.Taken(); about.Started.Sub(counted) < process.SharedFor {
		about.Started = counted
	}
	host = session.Start(session.Options{What: "this host", Probes: sources, Length: d.length, Interval: d.pace(), About: about})
	defer host.Close()
	if unopened != nil {
		return verdict.Verdict{}, unopened
	}
	progress := startProgress(stderr, "watching", d.length)
	e, err := host.Evidence(ctx)
	progress.stop()
	if err != nil {
		return verdict.Verdict{}, err
	}
	collectBy(percentToJudge)
	return d.verdict(ctx, e, "this host")
}

// judged is the verdict on evidence that is there.
func (d *diagnosis) judged(ctx context.Context, src session.Source) (verdict.Verdict, error) {
	e, err := src.Evidence(ctx)
	if err != nil {
		return verdict.Verdict{}, err
	}
	d.evidence = e
	return e.Judge(), nil
}

// verdict is that on a host, or on a recording of one, with files of what ran.
func (d *diagnosis) verdict(ctx context.Context, e *session.Evidence, what string) (verdict.Verdict, error) {
	d.evidence = e
	if err := d.profile.write(ctx, e, what); err != nil {
		return verdict.Verdict{}, err
	}
	return e.Judge(), nil
}

// window is the part of evidence of another time that is meant.
func (d *diagnosis) window(lengthGiven bool) (w session.Window) {
	if d.at != "" || lengthGiven {
		w.Length = d.length
	}
	switch {
	case d.at != "":
		w.At = func(held recording.Window) (from, to time.Time, note string, err error) {
			from, note, err = moment(d.at, d.length, held, time.Now())
			return from, to, note, err
		}
	case d.from != "" || d.to != "":
		w.At = func(held recording.Window) (from, to time.Time, note string, err error) {
			meant, notes, err := between(d.from, d.to, held)
			return meant.From, meant.To, strings.Join(notes, "; "), err
		}
	}
	return w
}
