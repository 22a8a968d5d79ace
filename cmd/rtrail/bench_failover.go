package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/failover"
	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/infile"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/privilege"
	"rtrail/internal/unit"
)

// benchWatch is what `rtrail bench watch` was asked to do.
type benchWatch struct {
	access     mysqlFlags
	length     time.Duration
	schema     string
	log        string
	nameServer string
	face
}

func newBenchWatchCommand() *cobra.Command {
	j := benchWatch{}
	cmd := &cobra.Command{
		Use:   "watch SERVER | --log FILE",
		Short: "Watch a switch, failover or upgrade of a MySQL server",
		Long: `Looks SERVER's name up, logs in and asks who answers, each second, and prints a
line (--json: an object). After --for or Ctrl-C it says how long there were no
writes and how long no connection, each from when to when, with the time line,
what was before and after, and writes that were lost.

Transactions are those of all clients, by the counters of the server to which
the name leads. Where clients may pause, --write SCHEMA has the watch write: ten
rows a second, each a commit, into a table of its own, which it makes before and
drops after. It counts acknowledged writes that are missing then.

--log FILE makes the time line of a log of sysbench --report-interval=1.

A connect, lookup or write fails after 900 ms. Names are looked up without a
cache; a resolver of the host (nscd, systemd-resolved) may have one:
--name-server asks another. SERVER, user and password as in "rtrail mysql".`,
		Example: `  rtrail bench watch monitor@db1.example.com
  rtrail bench watch app@db1:3306 --write test --for 10m --markdown
  rtrail bench watch app@db1 --name-server 10.0.0.2 --json
  rtrail bench watch --log sysbench.log`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.check(cmd, args); err != nil {
				return err
			}
			if j.log != "" {
				confine(cmd.ErrOrStderr(), privilege.Needs{Read: []string{j.log}})
				return j.read(cmd.Context(), cmd.OutOrStdout())
			}
			w, err := j.watch(args[0])
			if err != nil {
				return err
			}
			if !j.access.leaveHost(cmd.Context(), cmd.ErrOrStderr()) {
				watches(cmd.ErrOrStderr(), false)
			}
			return j.run(cmd.Context(), w, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&j.length, "for", 0, "how long to watch (default: until Ctrl-C, a day at most)")
	f.StringVar(&j.schema, "write", "", "write ten rows a second into a table of its own in this schema, made and dropped")
	f.StringVar(&j.log, "log", "", "read a log of sysbench --report-interval=1 instead")
	f.StringVar(&j.nameServer, "name-server", "", "look the name up at this name server: ADDRESS or ADDRESS:PORT")
	j.access.addTLS(f)
	j.face.add(f, "the time line")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func (j *benchWatch) check(cmd *cobra.Command, args []string) error {
	switch {
	case j.log != "" && (len(args) > 0 || j.schema != "" || j.nameServer != "" || cmd.Flags().Changed("for")):
		return usageError("--log reads a file: it goes without a server, --write, --name-server and --for")
	case j.log == "" && len(args) != 1:
		return usageError("bench watch takes one server: rtrail bench watch USER@HOST:PORT, or --log FILE")
	case cmd.Flags().Changed("for") && (j.length < time.Second || j.length > failover.Longest):
		return usageError("--for %v: from 1s to %v", j.length, failover.Longest)
	case cmd.Flags().Changed("write") && !failover.SchemaName(j.schema):
		return usageError("--write %q: a schema's name has 1 to 64 characters, and no backtick", j.schema)
	}
	if j.length == 0 {
		j.length = failover.Longest
	}
	return j.face.check()
}

// watch is the watch of the server that is named.
func (j *benchWatch) watch(name string) (*failover.Watch, error) {
	files := mysqlconn.ReadOptionFiles("/", os.Getenv)
	j.access.notes = files.Notes
	target, err := mysqlconn.Parse(takeServerName(name), files, mysqlconn.Options{TLS: j.access.tls, CA: j.access.ca})
	if err != nil {
		return nil, usageError("server: %w", err)
	}
	if err := target.Check(); err != nil {
		return nil, usageError("server %s: %w", target.Name, err)
	}
	if target.Prompt {
		if target.Password, err = askPassword(target); err != nil {
			return nil, err
		}
	}
	j.access.asked = &target
	w := &failover.Watch{Target: target, Schema: j.schema}
	if j.nameServer != "" {
		at, err := netip.ParseAddrPort(j.nameServer)
		if err != nil {
			a, err := netip.ParseAddr(j.nameServer)
			if err != nil {
				return nil, usageError("--name-server %s: it takes an address, or ADDRESS:PORT", j.nameServer)
			}
			at = netip.AddrPortFrom(a, 53)
		}
		w.Resolver = failover.NameServer(at.String())
	}
	return w, nil
}

func (j *benchWatch) run(ctx context.Context, w *failover.Watch, out, stderr io.Writer) error {
	finishes(ctx)
	if j.schema != "" {
		fmt.Fprintf(stderr, "writes ten rows a second into a new table in %s, and drops it in the end\n", escape.Text(j.schema))
	}
	if err := w.Begin(ctx); err != nil {
		return j.failure(w, err)
	}
	lines := watchLines{out: out, width: lineWidth(out)}
	quiet := idle{wrote: j.schema != ""}
	w.Each = func(s *failover.Second) error {
		if quiet.next(s) {
			fmt.Fprintf(stderr, "nothing has written to %s in %d s: an outage of writes cannot be seen until clients write, or rtrail does: --write SCHEMA\n", escape.Text(w.Target.Name), idleSeconds)
		}
		switch {
		case j.json:
			return document.JSONLine(out, s)
		case j.markdown:
			return nil
		}
		return lines.second(s)
	}
	r, err := w.Run(ctx, j.length)
	written := w.Finish(context.WithoutCancel(ctx)) // also when nobody reads any more
	if err != nil {
		return err
	}
	if len(r.Seconds) == 0 {
		return errors.New("interrupted before the first second was over")
	}
	return j.conclude(out, failover.Analyse(r), written)
}

// idleSeconds without a write are told while the watch goes on: there may be none at all.
const idleSeconds = 10

// idle notices that nobody writes from the beginning on.
type idle struct {
	wrote   bool
	seconds int
}

// next says, once, that the watch has seen no write for idleSeconds of its counters.
func (i *idle) next(s *failover.Second) bool {
	i.wrote = i.wrote || s.TPS > 0
	if s.TPS == 0 {
		i.seconds++
	}
	return !i.wrote && s.TPS == 0 && i.seconds == idleSeconds
}

// failure is the error of a server that does not let the watch begin.
func (j *benchWatch) failure(w *failover.Watch, err error) error {
	kind, _ := mysqlconn.Classify(err)
	text := mysqlconn.Text(err)
	said := fmt.Errorf("asking %s: %s", escape.Text(w.Target.Name), escape.Line(text))
	switch kind {
	case mysqlconn.Denied:
		said = fmt.Errorf("%w; user and password come from the server's name, else from ~/.mylogin.cnf or ~/.my.cnf", said)
		for _, note := range j.access.notes {
			said = fmt.Errorf("%w; not read: %s", said, note)
		}
	case mysqlconn.NotMySQL, mysqlconn.NoTLS, mysqlconn.Withheld:
		said = fmt.Errorf("%w; %s", said, mysqlconn.Remedy(text))
	}
	return said
}

// read makes the time line of a log.
func (j *benchWatch) read(ctx context.Context, out io.Writer) error {
	f, err := infile.Open(ctx, j.log)
	if err != nil {
		return fmt.Errorf("reading a log of sysbench: %w", err)
	}
	defer f.Close()
	in, done, err := infile.Unpack(infile.Until(ctx, f))
	if err != nil {
		return fmt.Errorf("reading %s: %w", j.log, err)
	}
	defer done()
	r, err := failover.ReadLog(filepath.Base(j.log), in)
	if err != nil {
		return fmt.Errorf("reading %s: %w", j.log, err)
	}
	return j.conclude(out, failover.Analyse(r), nil)
}

func (j *benchWatch) conclude(out io.Writer, a *failover.Analysis, written *failover.Written) error {
	if j.json {
		return document.JSONLine(out, struct {
			TimeLine *failover.Analysis `json:"time_line"`
			Written  *failover.Written  `json:"written"`
		}{a, written})
	}
	d := a.Document()
	if written != nil {
		d.Blocks = append(d.Blocks, written.Blocks()...)
	}
	if j.markdown {
		return document.Markdown(out, d)
	}
	if a.Source != failover.Log {
		if _, err := io.WriteString(out, "\n"); err != nil {
			return err
		}
	}
	return document.Terminal(out, d, terminalOptions(out))
}

// watchLines prints a line per second.
type watchLines struct {
	out     io.Writer
	width   int
	columns *document.Lines
	lines   int
	changes failover.Changes
	failing bool
	zero    bool
	wrote   bool
}

// headerEvery is after how many lines the names of the columns come again.
const headerEvery = 20

func (l *watchLines) second(s *failover.Second) error {
	if l.columns == nil {
		l.columns = document.FixedLines([]document.Column{{Name: "time", Fixed: 8}, {Name: "TPS", Right: true, Fixed: 7}, {Name: "QPS", Right: true, Fixed: 7},
			{Name: "err/s", Right: true, Fixed: 5}, {Name: "connect", Right: true, Fixed: 9}, {Name: "address", Fixed: 15, Max: 31, Drop: 2},
			{Name: "id", Right: true, Fixed: 10, Drop: 1}, {Name: "version", Fixed: 9, Max: 15, Drop: 3}, {Name: "ro", Fixed: 3}, {Name: "changes", Fixed: 40, Cut: l.width > 0}}, l.width)
	}
	var b []byte
	if l.lines%headerEvery == 0 {
		b = l.columns.AppendNames(b)
	}
	l.lines++
	id, version, ro := "-", "-", "-"
	if s.Server != nil {
		id = fmt.Sprint(s.Server.ID)
		version, _, _ = strings.Cut(escape.Text(s.Server.Version), "-") // the rest is in the time line
		ro = map[bool]string{true: "ON", false: "off"}[s.Server.ReadOnly]
	}
	address := escape.Text(failover.Addresses(s.Addresses))
	if address == "" {
		address = "-"
	}
	b = l.columns.Append(b, []string{s.At.Format("15:04:05"), rate(s.TPS), rate(s.QPS), rate(s.Errors), connectTime(s), address, id, version, ro, l.notes(s)})
	_, err := l.out.Write(b)
	return err
}

// notes are what is new in a second, each with a mark.
func (l *watchLines) notes(s *failover.Second) string {
	var words []string
	add := func(w string) { words = append(words, "* "+w) }
	if failing := s.Connects.Failed > 0; failing != l.failing {
		if l.failing = failing; !failing {
			add("connects succeed")
		} else if s.Connects.Error != "" {
			add("connects fail: " + s.Connects.Error)
		} else {
			add("connects fail: " + s.Connects.Class)
		}
	}
	for _, e := range l.changes.Next(s) {
		add(e.What)
	}
	if zero := s.TPS <= 0; zero != l.zero && !math.IsNaN(float64(s.TPS)) {
		switch l.zero = zero; {
		case zero && !l.wrote:
			add("nothing writes")
		case zero:
			add("no writes")
		default:
			add("writes")
		}
	}
	l.wrote = l.wrote || s.TPS > 0
	if len(s.Codes) > 0 {
		words = append(words, failover.Codes(s.Codes))
	}
	return escape.Text(strings.Join(words, "; "))
}

// rate is a number per second, "-" if it is not known.
func rate(n document.Number) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return unit.Number(n).String()
}

func connectTime(s *failover.Second) string {
	switch {
	case s.Connects.OK > 0:
		return unit.Duration(float64(s.Connects.Took) * float64(time.Millisecond)).String()
	case s.Connects.Failed > 0:
		return "failed"
	}
	return "-"
}
