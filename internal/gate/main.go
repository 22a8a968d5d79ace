// Gate chooses the labs that a change has to pass before it is taken: every
// control, those whose rules, views, probes or cases the change touches, and an
// eighth of all others in each domain, at least one, drawn again for each commit. It
// prints their names, one a line; with -v also why each was chosen.
//
//	go run ./internal/gate [-v] [-base REVISION]
//
// What a change touches is found by who uses whom: a lab is touched when the
// declaration of its rule reaches a changed declaration, through views and row
// types to the probes that fill them. The base is by default the commit with
// which all labs passed last, as docs/labs.md says. Data files count as all
// declarations of their package, releases of libraries do not count: the eighth
// that rotates meets them.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"

	"rtrail/internal/lab/cases"
)

// rotation: of the labs of a domain that nothing else asks for, one in eight runs. More
// would take longer than people wait for the test of a change.
const rotation = 8

func main() {
	base := flag.String("base", "", "the revision to compare with (default: the commit that docs/labs.md names)")
	verbose := flag.Bool("v", false, "say why each lab was chosen")
	flag.Parse()
	if err := choose(*base, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

// choice is a lab to run, and why.
type choice struct {
	id, why string
}

func choose(base string, verbose bool) error {
	labs := slices.DeleteFunc(cases.All(), func(c cases.Case) bool { return c.Extra })
	head, err := git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	touched, note := touchedLabs(base, labs)
	if note != "" {
		fmt.Fprintln(os.Stderr, "gate:", note)
	}
	chosen := choices(labs, head, touched)
	for _, c := range chosen {
		if verbose {
			fmt.Printf("%-34s %s\n", c.id, c.why)
		} else {
			fmt.Println(c.id)
		}
	}
	fmt.Fprintf(os.Stderr, "gate: %d of %d labs\n", len(chosen), len(labs))
	return nil
}

// touchedLabs tells which labs the change since the base touches: by ID, what
// it touched. Where that cannot be told it is all of them, and the note says why.
func touchedLabs(base string, labs []cases.Case) (touched map[string]string, note string) {
	all := func(why string) (map[string]string, string) {
		touched := map[string]string{}
		for _, c := range labs {
			touched[c.ID] = why
		}
		return touched, why + ": all labs"
	}
	base, err := baseRevision(base)
	if err != nil {
		return all(err.Error())
	}
	changed, err := changedSince(base)
	if err != nil {
		return all(err.Error())
	}
	g, err := load("./internal/...")
	if err != nil {
		return all(err.Error())
	}
	hit := g.changed(changed)
	if len(hit) == 0 {
		return nil, ""
	}
	return g.touches(labs, hit), ""
}

// choices picks the labs to run, each with the reason that asks for it: controls,
// touched ones, and of the others in each domain an eighth, at least one.
func choices(labs []cases.Case, head string, touched map[string]string) []choice {
	var chosen []choice
	others := map[string][]string{}
	for _, c := range labs {
		domain, _, _ := strings.Cut(c.ID, "/")
		switch {
		case c.Control():
			chosen = append(chosen, choice{c.ID, "control"})
		case touched[c.ID] != "":
			chosen = append(chosen, choice{c.ID, "touched: " + touched[c.ID]})
		default:
			others[domain] = append(others[domain], c.ID)
		}
	}
	for _, ids := range others {
		slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(draw(head, a), draw(head, b)) })
		for _, id := range ids[:max(len(ids)/rotation, 1)] {
			chosen = append(chosen, choice{id, "its turn"})
		}
	}
	place := map[string]int{}
	for i, c := range labs {
		place[c.ID] = i
	}
	slices.SortFunc(chosen, func(a, b choice) int { return cmp.Compare(place[a.id], place[b.id]) })
	return chosen
}

// draw is a number that a commit and a lab always have together, and nobody
// chose.
func draw(head, id string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(head + " " + id))
	// The low bits of FNV hardly depend on what comes early.
	return h.Sum32() >> 8
}
