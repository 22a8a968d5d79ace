package explain

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Search returns the entries that a query means, best first: those that its
// synonyms name, then those that match all its words. A word counts most as a
// part of the ID, less in the title, least in the page; a synonym within the
// query counts for the entries it leads to. Entries that match equally stay in
// their order. Entries of whose synonyms none is in the query, and whose ID and title
// have no more than half of its words, are not about them: they only mention them.
func Search(entries []Entry, query string) (list, mention []Entry) {
	taken := map[string]bool{}
	add := func(e Entry) {
		if !taken[e.ID] {
			taken[e.ID] = true
			list = append(list, e)
		}
	}
	addAll := func(phrases []phrase) {
		for _, p := range phrases {
			for _, id := range p.ids {
				if e, ok := Find(entries, id); ok {
					add(e)
				}
			}
		}
	}
	wanted := words(query)
	named, within := phrasesOf(query)
	addAll(named)
	type hit struct {
		entry Entry
		score int
		about bool
	}
	var hits []hit
	for _, e := range entries {
		if total, about := scoreAll(e, wanted, within); total > 0 {
			whole := scoreWhole(e, wanted)
			hits = append(hits, hit{e, total + whole, about || whole > 0})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	for _, h := range hits {
		if h.about {
			add(h.entry)
		}
	}
	if len(list) == 0 { // a message with names and numbers around what is known of it
		addAll(slices.DeleteFunc(within, func(p phrase) bool { return !p.telling() }))
	}
	if len(list) == 0 && len(wanted) > 1 { // a command line
		if e, ok := Find(entries, "tool/"+wanted[0]); ok {
			add(e)
		}
	}
	for _, h := range hits {
		if !h.about && !taken[h.entry.ID] {
			mention = append(mention, h.entry)
		}
	}
	return list, mention
}

// Scores of one word in one entry. Only their order matters: one word in an ID
// outweighs any number of mentions.
const (
	scoreName     = 300 // all of the ID behind its domain: "full" in "disk/full"
	scoreRule     = 200 // such an ID is a rule's: its page leads to the numbers
	scoreID       = 100 // a word of the ID: "load" in "sched.load"
	scoreTitle    = 60  // a word of the title
	scoreColumn   = 250 // the whole name of a column
	scoreTogether = 80  // all words, one after the other, in title or page
	scoreSynonym  = 150 // per word of a synonym for the entry within the query
	scoreBegins   = 20  // the beginning of a word of ID or title: "retrans"
	scoreMention  = 1   // per mention in the page, up to ten

	// minPrefix: letters from which the beginning of a word is enough. "os" is
	// the beginning of too much.
	minPrefix = 4
)

// scoreWhole is for a query that is all of a name.
func scoreWhole(e Entry, wanted []string) int {
	id := e.words().id
	switch {
	case e.Kind == Heading && slices.Equal(id, wanted):
		return scoreColumn
	case len(id) < 2 || !slices.Equal(id[1:], wanted):
		return 0
	case e.Kind == Finding:
		return scoreName + scoreRule
	}
	return scoreName
}

// scoreAll is the sum over all words; 0 if one is missing. about says that a synonym
// is among them, or that more than half of them are in ID or title.
func scoreAll(e Entry, wanted []string, within []phrase) (total int, about bool) {
	of := e.words()
	id, title, page := of.id, of.title, of.page
	covered := make([]bool, len(wanted)) // by a synonym
	for _, p := range within {
		if i := slices.Index(p.ids, e.ID); i >= 0 {
			total += scoreSynonym*len(p.words) - i
			copy(covered[p.at:], slices.Repeat([]bool{true}, len(p.words)))
		}
	}
	held := 0
	for i, w := range wanted {
		s := 0
		if slices.Contains(id, w) {
			s += scoreID
		} else if begins(id, w) {
			s += scoreBegins
		}
		if slices.Contains(title, w) {
			s += scoreTitle
		} else if begins(title, w) {
			s += scoreBegins
		}
		if s > 0 || covered[i] {
			held++
		}
		s += scoreMention * min(count(page, w), 10)
		if s == 0 && !covered[i] {
			return 0, false
		}
		total += s
	}
	if len(wanted) > 1 && max(indexOf(title, wanted), indexOf(page, wanted)) >= 0 {
		total += scoreTogether
	}
	return total, 2*held > len(wanted) || slices.Contains(covered, true)
}

func count(list []string, w string) (n int) {
	for _, p := range list {
		if p == w {
			n++
		}
	}
	return n
}

func begins(list []string, w string) bool {
	return len(w) >= minPrefix && slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(p, w) })
}

// indexOf is where words stand one after the other in a list; -1.
func indexOf(list, wanted []string) int {
	for i := 0; i+len(wanted) <= len(list) && len(wanted) > 0; i++ {
		if slices.Equal(list[i:i+len(wanted)], wanted) {
			return i
		}
	}
	return -1
}

// words are the words of a text in lower case, without their plural: names with
// an underscore are one word.
func words(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '%' && r != '+'
	})
	for i, w := range list {
		if stem, many := strings.CutSuffix(w, "ies"); many && len(w) > 4 {
			list[i] = stem + "y"
		} else if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") {
			list[i] = strings.TrimSuffix(w, "s")
		}
	}
	return list
}
