package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// phrase is a synonym, or a word of a term, as a search sees it.
type phrase struct {
	text string
	spoken
	ids []string
	at  int // the word of the query at which it stands
}

// telling says whether a phrase within a query tells enough for the words around it
// not to matter: several words, or the number of an error.
func (p phrase) telling() bool {
	return len(p.words) > 1 || len(p.text) == 4 && strings.Trim(p.text, "0123456789") == ""
}

var phrases = sync.OnceValue(func() (list []phrase) {
	known := maps.Clone(synonyms)
	for _, t := range terms {
		for _, w := range t.words {
			known[w] = t.ids
		}
	}
	for _, text := range slices.Sorted(maps.Keys(known)) {
		list = append(list, phrase{text: text, spoken: speak(text), ids: known[text]})
	}
	return list
})

// phrasesOf are the synonyms that a query is, in whatever way it is written, or mostly
// is, and those that stand within it with others, the longest first.
func phrasesOf(query string) (named, within []phrase) {
	q := speak(query)
	wanted := q.words
	for _, p := range phrases() {
		switch at := indexOf(wanted, p.words); {
		case q.means(p.spoken):
			named = append(named, p)
		case at >= 0:
			p.at = at
			within = append(within, p)
		}
	}
	slices.SortStableFunc(named, func(a, b phrase) int { return cmp.Compare(len(a.words), len(b.words)) })
	slices.SortStableFunc(within, func(a, b phrase) int { return cmp.Compare(len(b.words), len(a.words)) })
	for _, p := range within {
		if len(p.words) > 1 && 2*len(p.words) > len(wanted) {
			named = append(named, p)
		}
	}
	return named, within
}

// Known says whether a query is a synonym, so that there are pages about it.
func Known(query string) bool {
	named, _ := phrasesOf(query)
	return len(named) > 0
}

// spoken is a text as a search compares it.
type spoken struct {
	words  []string
	joined string // without what stands between its words
}

func speak(text string) spoken {
	list := words(text)
	return spoken{list, strings.ReplaceAll(strings.Join(list, ""), "_", "")}
}

// means says whether a query is a known text: TIME_WAIT, time-wait and TIMEWAIT are one,
// "load high" is "high load", and of a message the beginning is enough.
func (q spoken) means(text spoken) bool {
	a, b := q.words, text.words
	switch {
	case q.joined == text.joined:
		return true
	case len(a) < 2 || len(a) > len(b):
		return false
	case len(a) < len(b):
		return slices.Equal(a, b[:len(a)])
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
