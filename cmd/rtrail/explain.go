package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/explain"
	"rtrail/internal/nearest"
	"rtrail/internal/report"
	"rtrail/internal/rule/catalogue"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [ID | WORD...]",
		Short: "Explain a finding, a metric or a counter: what it means, where it comes from, what to do",
		Long: `Prints the page of a rule, the dictionary's entry of a metric, or what is known
about a counter of refused work. A word that is no ID is searched for. Without
arguments, lists what can be explained.`,
		Example: `  rtrail explain net/accept-queue-full
  rtrail explain tcp.listen-overflows
  rtrail explain TcpExtTCPReqQFullDrop
  rtrail explain load`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, e := range explain.Entries(catalogue.Rules) {
				ids = append(ids, e.ID+"\t"+e.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainTo(cmd.OutOrStdout(), strings.Join(args, " "))
		},
	}
}

// manyHits is how many entries a search shows as lines; a single hit is shown
// as its page.
const manyHits = 20

func explainTo(out io.Writer, query string) error {
	entries := explain.Entries(catalogue.Rules)
	if query == "" {
		return listEntries(out, entries)
	}
	if e, ok := explain.Find(entries, query); ok {
		return report.Page(out, e.Page, pageOptions(out))
	}
	hits := explain.Search(entries, query)
	switch {
	case strings.Contains(query, "/") && !strings.Contains(query, " "), len(hits) == 0:
		// It looks like an ID, or matches nothing: a typing mistake.
		var ids []string
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		return usageError("nothing is known about %q%s; rtrail explain lists everything", query, nearest.Hint(query, ids))
	case len(hits) == 1:
		return report.Page(out, hits[0].Page, pageOptions(out))
	}
	if _, err := fmt.Fprintf(out, "%d entries speak of %q; rtrail explain ID shows one:\n\n", len(hits), query); err != nil {
		return err
	}
	return printEntries(out, hits[:min(len(hits), manyHits)])
}

func listEntries(out io.Writer, entries []explain.Entry) error {
	var rules, metrics, counters []explain.Entry
	for _, e := range entries {
		switch {
		case e.Rule:
			rules = append(rules, e)
		case e.Counter:
			counters = append(counters, e)
		default:
			metrics = append(metrics, e)
		}
	}
	for i, section := range []struct {
		title string
		list  []explain.Entry
	}{{"Findings", rules}, {"Metrics", metrics}, {"Counters of refused, failed and delayed work", counters}} {
		if i > 0 {
			section.title = "\n" + section.title
		}
		if _, err := fmt.Fprintln(out, section.title); err != nil {
			return err
		}
		if err := printEntries(out, section.list); err != nil {
			return err
		}
	}
	return nil
}

func printEntries(out io.Writer, list []explain.Entry) error {
	width := 0
	for _, e := range list {
		width = max(width, len(e.ID))
	}
	for _, e := range list {
		if _, err := fmt.Fprintf(out, "  %-*s  %s\n", width, e.ID, e.Title); err != nil {
			return err
		}
	}
	return nil
}

func pageOptions(out io.Writer) report.TerminalOptions {
	width, tty := terminalWidth(out)
	return report.TerminalOptions{Width: width, Color: tty && colours()}
}
