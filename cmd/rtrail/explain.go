package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rtrail/internal/document"
	"rtrail/internal/explain"
	"rtrail/internal/nearest"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/unit"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [ID | WORD...]",
		Short: "Explain a finding, a metric or a counter: what it means, where it comes from, what to do",
		Long: `Prints the page of a rule, the dictionary entry of a metric, or what is known
about a counter of refused work. Any other word is searched for. Without
arguments it lists everything that it can explain.`,
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

// maxListed is how many entries a search lists below the page of the best one.
const maxListed = 12

func explainTo(out io.Writer, query string) error {
	entries := explain.Entries(catalogue.Rules)
	if query == "" {
		return listEntries(out, entries)
	}
	if e, ok := explain.Find(entries, query); ok && !e.Column {
		return document.Page(out, e.Page, pageOptions(out))
	}
	hits := explain.Search(entries, query)
	if len(hits) == 0 || isRuleID(entries, query) {
		var ids []string
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		return usageError("nothing is known about %q%s; rtrail explain lists everything", query, nearest.Hint(query, ids))
	}
	page := hits[0].Page
	if meaning := explain.Meaning(query); meaning != "" {
		page = "**" + query + "**: " + meaning + "\n\n" + page
	}
	if err := document.Page(out, page, pageOptions(out)); err != nil {
		return err
	}
	others := hits[1:]
	if len(others) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(out, "\n%s also about %q; rtrail explain ID opens one:\n", unit.Plural(len(others), "page is", "pages are"), query); err != nil {
		return err
	}
	return printEntries(out, others[:min(len(others), maxListed)])
}

// isRuleID says whether a query names the domain of rules, as a mistyped ID does.
func isRuleID(entries []explain.Entry, query string) bool {
	domain, _, ok := strings.Cut(query, "/")
	return ok && !strings.Contains(query, " ") && slices.ContainsFunc(entries, func(e explain.Entry) bool {
		return e.Rule && strings.HasPrefix(e.ID, domain+"/")
	})
}

func listEntries(out io.Writer, entries []explain.Entry) error {
	var rules, metrics, counters, columns []explain.Entry
	for _, e := range entries {
		switch {
		case e.Rule:
			rules = append(rules, e)
		case e.Counter:
			counters = append(counters, e)
		case e.Column:
			columns = append(columns, e)
		default:
			metrics = append(metrics, e)
		}
	}
	for i, section := range []struct {
		title string
		list  []explain.Entry
	}{{"Findings", rules}, {"Metrics", metrics}, {"Counters of refused, failed and delayed work", counters}, {"Columns", columns}} {
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

func pageOptions(out io.Writer) document.TerminalOptions {
	width, tty := terminalWidth(out)
	return document.TerminalOptions{Width: width, Color: tty && colours()}
}
