package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rtrail/internal/budget"
	"rtrail/internal/imported"
	"rtrail/internal/imported/promquery"
	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
)

// prometheusFlags ask Prometheus for what node_exporter told of a host.
type prometheusFlags struct {
	address  string
	instance string
	auth     string // a file

	url *url.URL
}

const (
	// promLength is how much is judged if --for does not say it: some twenty values of a host that is
	// scraped each 30 s.
	promLength = 10 * time.Minute
	// promSpan is how much is looked through if no time is given.
	promSpan = time.Hour
	// promDiff is how long windows are that are compared: each part has two values of a host that is
	// scraped each minute.
	promDiff = 15 * time.Minute
)

// add gives a verb the flags: what it does ("judge"), and with which time.
func (p *prometheusFlags) add(f *pflag.FlagSet, does, times string) {
	f.StringVar(&p.address, "prometheus", "", does+" what this Prometheus knows of a host by node_exporter: http://HOST:9090; "+times)
	f.StringVar(&p.instance, "instance", "", `with --prometheus: the host: HOST:9100, HOST, or matchers as {instance="a:9100",job="node"}`)
	f.StringVar(&p.auth, "prometheus-auth", "", "with --prometheus: file with USER:PASSWORD or a bearer token (default: $"+promquery.Env+")")
}

func (p *prometheusFlags) given() bool { return p.address != "" }

// maxInstance bounds --instance, in bytes.
const maxInstance = 4 << 10

// check refuses what cannot be meant. others says what else is evidence for the verb, if it is given.
func (p *prometheusFlags) check(others string, elsewhere bool) (err error) {
	switch {
	case !p.given() && (p.instance != "" || p.auth != ""):
		return usageError("--instance and --prometheus-auth need --prometheus URL")
	case !p.given():
		return nil
	case elsewhere:
		return usageError("--prometheus asks for evidence: it does not go with %s", others)
	case len(p.instance) > maxInstance:
		return usageError("--instance: it is longer than %v", unit.Bytes(maxInstance))
	}
	if p.url, err = url.Parse(p.address); err != nil {
		return usageError("--prometheus: it is no URL, such as http://HOST:9090") // the error would show a password
	}
	if err := promquery.Check(p.url); err != nil {
		return usageError("--prometheus: %w", err)
	}
	return nil
}

// secret is USER:PASSWORD or a token, from the file or the environment.
func (p *prometheusFlags) secret() (string, error) {
	if p.auth != "" {
		return onlyLine(p.auth, "USER:PASSWORD or a token")
	}
	return strings.TrimSpace(os.Getenv(promquery.Env)), nil
}

// words ask for a host again.
func (p *prometheusFlags) words(instance string) shell.Command {
	line := shell.Line("--prometheus %s", p.address)
	if instance != "" {
		line = line.With("--instance %s", instance)
	}
	if p.auth != "" {
		line = line.With("--prometheus-auth %s", shell.Path(p.auth))
	}
	return line
}

// maxAgo is how long ago a time may be.
const maxAgo = 10 * 365 * 24 * time.Hour

// askable is the time that Prometheus can be asked for. What counts back from the end of a
// recording counts back from now.
func askable(now time.Time) recording.Window {
	return recording.Window{From: now.Add(-maxAgo), To: now}
}

// hostTime is a host, as --instance names it, and a time.
type hostTime struct {
	instance string
	recording.Window
}

// lasting is a time of some length that begins at, as far as it is over; "": the last one. what
// stands before at: "--at ".
func (p *prometheusFlags) lasting(what, at string, length time.Duration, now time.Time) (t hostTime, err error) {
	t = hostTime{p.instance, recording.Window{From: now.Add(-length), To: now}}
	if at != "" {
		if t.From, _, err = momentOf(what, at, length, askable(now), now); err != nil {
			return t, err
		}
		t.To = earlier(t.From.Add(length), now)
	}
	return t, nil
}

// between is the time that a user means by --from and --to; without the first the length before its end.
func (p *prometheusFlags) between(from, to string, length time.Duration, now time.Time) (t hostTime, err error) {
	t.instance = p.instance
	if t.Window, _, err = between(from, to, askable(now)); from == "" {
		t.From = t.To.Add(-length)
	}
	return t, err
}

// answers are what Prometheus has of a host.
type answers struct {
	*session.Store
	host string // matchers that choose no other one
}

// open asks for the times of hosts. Root's rights are given up before, and the network once the
// answers are there: they are read with as few privileges as files of a stranger. writes are files
// that are written later.
func (p *prometheusFlags) open(ctx context.Context, stderr io.Writer, writes []string, times ...hostTime) (all []answers, err error) {
	for _, t := range times {
		switch span := t.To.Sub(t.From); {
		case span > promquery.MaxSpan:
			return nil, usageError("Prometheus is asked for at most %v, not %v to %v: choose a shorter time", promquery.MaxSpan, unit.Moment(t.From), unit.Moment(t.To))
		case span < time.Second:
			return nil, usageError("Prometheus can tell nothing of less than a second, and what begins at %v is not over: choose a longer or earlier time", unit.Moment(t.From))
		}
	}
	secret, err := p.secret()
	if err != nil {
		return nil, err
	}
	ctx = budget.With(ctx, budget.From(ctx)) // one for all hosts
	asks(stderr, privilege.Needs{Write: writes})
	var list []*promquery.Answer
	for _, t := range times {
		answer, err := promquery.Ask(ctx, promquery.Question{URL: p.url, Auth: secret, Instance: t.instance, From: t.From, To: t.To})
		if err != nil {
			return nil, err
		}
		list = append(list, answer)
	}
	confine(stderr, privilege.Needs{Write: writes})
	for i, answer := range list {
		rec, held, err := imported.ReadAnswers(answer.Name, answer.Bodies)
		if err != nil {
			return nil, err
		}
		store := session.OpenAnswers(rec, held, p.words(times[i].instance))
		notes := answer.Notes
		if t, short := times[i], 2*store.Interval(); held.From.Sub(t.From) > short || t.To.Sub(held.To) > short {
			notes = append(notes, fmt.Sprintf("of %v to %v there are values from %v to %v only", unit.Moment(t.From), unit.Moment(t.To), unit.Moment(held.From), unit.Moment(held.To)))
		}
		rec.UpdateManifest(func(m *recording.Manifest) { m.Notes = append(m.Notes, notes...) })
		all = append(all, answers{store, answer.Host})
	}
	return all, nil
}

// fromPrometheus asks for a window of a host and judges it.
func (d *diagnosis) fromPrometheus(ctx context.Context, lengthGiven bool, stderr io.Writer) (verdict.Verdict, error) {
	none := verdict.Verdict{}
	if !lengthGiven {
		d.length = promLength
	}
	when, err := d.prom.lasting("--at ", d.at, d.length, time.Now())
	if d.from != "" || d.to != "" {
		when, err = d.prom.between(d.from, d.to, promLength, time.Now())
	}
	if err != nil {
		return none, err
	}
	all, err := d.prom.open(ctx, stderr, []string{d.html}, when)
	if err != nil {
		return none, err
	}
	held, err := all[0].Holds(ctx)
	if err != nil {
		return none, err
	}
	if d.evidence, err = all[0].Evidence(ctx, held.Window); err != nil {
		return none, err
	}
	return d.evidence.Judge(), nil
}
