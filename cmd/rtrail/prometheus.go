package main

import (
	"context"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rtrail/internal/imported"
	"rtrail/internal/imported/promquery"
	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/session"
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

// promLength is how much is judged if --for does not say it: some twenty values of a host that is
// scraped each 30 s.
const promLength = 10 * time.Minute

func (p *prometheusFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.address, "prometheus", "", "judge what this Prometheus knows of a host by node_exporter: http://HOST:9090; the last 10m, or --at and --for")
	f.StringVar(&p.instance, "instance", "", `with --prometheus: the host: HOST:9100, HOST, or matchers as {instance="a:9100",job="node"}`)
	f.StringVar(&p.auth, "prometheus-auth", "", "with --prometheus: file with USER:PASSWORD or a bearer token (default: $"+promquery.Env+")")
}

func (p *prometheusFlags) given() bool { return p.address != "" }

// maxInstance bounds --instance, in bytes.
const maxInstance = 4 << 10

func (p *prometheusFlags) check(elsewhere bool) (err error) {
	switch {
	case !p.given() && (p.instance != "" || p.auth != ""):
		return usageError("--instance and --prometheus-auth need --prometheus URL")
	case !p.given():
		return nil
	case elsewhere:
		return usageError("--prometheus asks for evidence: it does not go with files, -i, --mysql, --probe-dns, --alloc, --flame, --pprof and --decode-as")
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

// fromPrometheus asks for a window of a host and judges it. Root's rights are given up before
// that; what was answered is read with as few privileges as a file of a stranger.
func (d *diagnosis) fromPrometheus(ctx context.Context, lengthGiven bool, stderr io.Writer) (verdict.Verdict, error) {
	none := verdict.Verdict{}
	secret, err := d.prom.secret()
	if err != nil {
		return none, err
	}
	if !lengthGiven {
		d.length = promLength
	}
	now := time.Now()
	q := promquery.Question{URL: d.prom.url, Auth: secret, Instance: d.prom.instance, From: now.Add(-d.length), To: now}
	if d.at != "" {
		if q.From, _, err = moment(d.at, d.length, recording.Window{From: now.Add(-maxAgo), To: now}, now); err != nil {
			return none, err
		}
		if q.To = q.From.Add(d.length); q.To.After(now) {
			q.To = now
		}
	}
	asks(stderr, privilege.Needs{Write: []string{d.html}})
	answer, err := promquery.Ask(ctx, q)
	if err != nil {
		return none, err
	}
	confine(stderr, privilege.Needs{Write: []string{d.html}})
	rec, held, err := imported.ReadAnswers(answer.Name, answer.Bodies)
	if err != nil {
		return none, err
	}
	d.evidence = &session.Evidence{Recording: rec, From: held.From, To: held.To, Notes: answer.Notes}
	return d.evidence.Judge(), nil
}

// maxAgo is how long ago --at may be.
const maxAgo = 10 * 365 * 24 * time.Hour
