package main

import (
	"slices"
	"strings"
	"time"

	"rtrail/internal/nearest"
	"rtrail/internal/traffic"
)

// maxEvery is the longest time per line.
const maxEvery = 366 * 24 * time.Hour

// check refuses what cannot be meant.
func (p *packetsJob) check(args []string) (err error) {
	switch {
	case len(args) == 0 && p.iface == "":
		return usageError("which packets? give files, - for standard input, or an interface: rtrail packets FILE... | -i IF")
	case len(args) > 0 && p.iface != "":
		return usageError("-i %s and %s: packets come from an interface or from files, not from both", p.iface, args[0])
	case p.iface == "" && (p.netns != "" || p.lengthGiven):
		return usageError("--netns and --for go with an interface: -i IF")
	case p.iface == "" && p.rows:
		return usageError("--rows goes with an interface, -i IF: of files all rows are counted that are in them")
	case p.lengthGiven && p.length <= 0:
		return usageError("--for %v: the time must be positive", p.length)
	case p.every < time.Second || p.every%time.Second != 0:
		return usageError("--every %v: whole seconds, at least one", p.every)
	case p.every > maxEvery:
		return usageError("--every %v: a year at most", p.every)
	case p.top < 1:
		return usageError("--top %d: at least one line", p.top)
	case p.slowestGiven && p.slowest < 1:
		return usageError("--slowest %d: at least one request", p.slowest)
	case p.filterGiven && strings.TrimSpace(p.filter) == "":
		return usageError("--filter is empty: give an expression, as in --filter 'rt > duration(\"10ms\")'")
	case !slices.Contains(traffic.Views, p.by):
		return usageError("--by %s: no such view%s; choose one of %s", p.by, nearest.Hint(p.by, traffic.Views), strings.Join(traffic.Views, ", "))
	}
	if err := p.checkViews(); err != nil {
		return err
	}
	if err := p.checkFace(); err != nil {
		return err
	}
	if p.only, err = portList(p.ports); err != nil {
		return err
	}
	if p.parquet == "-" {
		return usageError("--parquet -: standard output has the report; name a directory")
	}
	outputs := []output{{"-w", p.write}, {"--html", p.html}}
	if err := checkOutputs(outputs, args); err != nil || p.iface == "" {
		return err
	}
	return checkFolders(outputs)
}

// checkViews refuses flags that exclude each other.
func (p *packetsJob) checkViews() error {
	var views []string
	for _, v := range []struct {
		given bool
		name  string
	}{
		{p.byGiven, "--by"}, {p.transactions, "--transactions"}, {p.slowestGiven, "--slowest"}, {p.histogram, "--histogram"}, {p.formatGiven, "--format"},
	} {
		if v.given {
			views = append(views, v.name)
		}
	}
	sorted := p.orderGiven && p.order != traffic.Unsorted
	switch {
	case len(views) == 2 && p.transactions && p.slowestGiven:
		return usageError("--transactions and --slowest exclude each other: for other orders, --transactions --sort rt --top %d", p.slowest)
	case len(views) > 1:
		return usageError("%s exclude each other: they are views of the same packets", strings.Join(views, " and "))
	case p.orderGiven && !p.transactions:
		return usageError("--sort goes with --transactions")
	case p.formatGiven && p.json:
		return usageError("--format and --json exclude each other")
	case p.filterGiven && p.byGiven && p.by == "connection":
		return usageError("--filter chooses requests, but --by connection sums up whole connections: try --by client, or --transactions")
	case p.transactions && p.json && sorted && !p.topGiven:
		return usageError("--transactions --json prints requests as they complete: leave --sort out, or say with --top how many to sort")
	case p.transactions && p.iface != "" && sorted:
		return usageError("--sort %s needs an end: a live capture lists requests as they complete; --slowest N lists the slowest at the end", p.order)
	}
	if p.transactions && p.order != traffic.Unsorted {
		if _, err := traffic.OrderNamed(p.order); err != nil {
			return usageError("%w", err)
		}
	}
	if p.formatGiven {
		if _, err := traffic.ParseFormat(p.format); err != nil {
			return usageError("%w", err)
		}
	}
	return nil
}

// checkFace refuses what Markdown cannot show: it has an end, and is printed there.
func (p *packetsJob) checkFace() error {
	if err := p.face.check(); err != nil || !p.markdown {
		return err
	}
	switch {
	case p.formatGiven:
		return usageError("--format and --markdown exclude each other")
	case p.everyGiven:
		return usageError("--every %v prints lines as time passes, --markdown prints at the end, in intervals as long as the capture needs: leave one out", p.every)
	case p.byGiven && p.by == "second":
		return usageError("--by second prints lines as time passes, --markdown prints at the end: leave --by out, its table over time is among the sums")
	case p.transactions && (p.iface != "" || p.order == traffic.Unsorted):
		return usageError("--transactions lists requests as they complete, --markdown prints at the end: --slowest N lists the slowest")
	}
	return nil
}
