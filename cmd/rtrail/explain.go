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
	var as face
	cmd := &cobra.Command{
		Use:   "explain [ID | WORD...]",
		Short: "Explain a finding, a setting, a metric or a counter: what it means and what to do",
		Long: `Prints the page of a rule, of a setting that rtrail audit looks at, of a tool,
of a change, of a variable of MySQL or of a known wait, the dictionary entry of
a metric, or what is known about a counter of refused work. Any other word is
searched for: a column, a file of the kernel, a message, a code, a symptom.
Without arguments it lists everything that it can explain.`,
		Example: `  rtrail explain net/accept-queue-full
  rtrail explain tcp.listen-overflows
  rtrail explain TcpExtTCPReqQFullDrop
  rtrail explain load
  rtrail explain 'upstream timed out'
  rtrail explain %wa
  rtrail explain iostat`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, e := range explain.Entries(catalogue.Rules) {
				ids = append(ids, e.ID+"\t"+e.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := as.check(); err != nil {
				return err
			}
			return explainTo(cmd.OutOrStdout(), strings.Join(args, " "), as)
		},
	}
	as.add(cmd.Flags(), "the page, or the list,")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// maxListed is how many entries a search lists below the page of the best one.
const maxListed = 12

func explainTo(out io.Writer, query string, as face) error {
	entries := explain.Entries(catalogue.Rules)
	if query == "" {
		return as.print(out, explain.List(entries), explain.Names(entries))
	}
	if e, ok := explain.Find(entries, query); ok && e.Kind != explain.Heading && !(e.Kind == explain.Counter && explain.Known(query)) {
		return printPage(out, e.Page, as, e)
	}
	if text := explain.Unjudged(query); text != "" {
		return printPage(out, "**"+query+"**: "+text+"\n", as, explain.Entry{ID: query, Kind: explain.Missing, Title: "judged by no rule", Page: text})
	}
	hits, mention := explain.Search(entries, query)
	if len(hits)+len(mention) == 0 || misspelt(entries, query) {
		var ids []string
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		return usageError("nothing is known about %q%s; rtrail explain lists everything", query, nearest.Hint(query, ids))
	}
	if len(hits) == 0 {
		title := fmt.Sprintf("No page is about %q; %s it; rtrail explain ID opens one:", query, unit.Plural(len(mention), "page mentions", "pages mention"))
		return as.print(out, document.Document{Blocks: []document.Block{explain.Table(title, mention[:min(len(mention), maxListed)])}}, explain.Names(mention))
	}
	hits = append(hits, mention...)
	if i := slices.IndexFunc(hits, func(e explain.Entry) bool { return e.Kind == explain.Counter && e.ID == query }); i > 0 { // a counter, by its exact name
		hits = slices.Insert(slices.Delete(slices.Clone(hits), i, i+1), 0, hits[i])
	}
	page, others := hits[0].Page, hits[1:]
	if meaning := explain.Meaning(query); meaning != "" {
		page = "**" + query + "**: " + meaning + "\n\n" + page
	}
	// A column of that name is explained first, whatever else the word means.
	if i := slices.IndexFunc(others, func(e explain.Entry) bool { return e.Kind == explain.Heading && strings.EqualFold(e.ID, query) }); i >= 0 {
		page = others[i].Page + "\n" + page
		others = slices.Delete(slices.Clone(others), i, i+1)
	}
	first := hits[0]
	first.Page = page
	if err := printPage(out, page, as, append([]explain.Entry{first}, explain.Names(hits[1:])...)); err != nil || len(others) == 0 || as.json {
		return err
	}
	title := fmt.Sprintf("%s also about %q; rtrail explain ID opens one:", unit.Plural(len(others), "page is", "pages are"), query)
	fmt.Fprintln(out)
	return as.print(out, document.Document{Blocks: []document.Block{explain.Table(title, others[:min(len(others), maxListed)])}}, nil)
}

// printPage prints a page, or as JSON the entry it is of.
func printPage(out io.Writer, page string, as face, entry any) error {
	switch {
	case as.json:
		return document.JSON(out, entry)
	case as.markdown:
		_, err := io.WriteString(out, page)
		return err
	}
	return document.Page(out, page, terminalOptions(out))
}

// misspelt says whether a query is nearly the ID of a rule or a setting. What only begins like one, as the
// file net/softnet_stat does, is none.
func misspelt(entries []explain.Entry, query string) bool {
	domain, name, ok := strings.Cut(strings.ToLower(query), "/")
	if !ok || strings.Contains(query, " ") {
		return false
	}
	var names []string
	for _, e := range entries {
		if rest, in := strings.CutPrefix(e.ID, domain+"/"); in && (e.Kind == explain.Finding || e.Kind == explain.Setting) {
			names = append(names, rest)
		}
	}
	near, ok := nearest.Name(name, names)
	return ok && !strings.Contains(near, name)
}
