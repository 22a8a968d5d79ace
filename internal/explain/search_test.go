package explain

import (
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule/catalogue"
)

func TestSynonymsLeadSomewhere(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for word, ids := range synonyms {
		if word != strings.ToLower(word) {
			t.Errorf("%q is not in lower case: nobody finds it", word)
		}
		if len(ids) == 0 {
			t.Errorf("%q leads nowhere", word)
		}
		for _, id := range ids {
			if e, ok := Find(entries, id); !ok || e.Kind == Heading {
				t.Errorf("%q leads to %s, which does not exist", word, id)
			}
		}
	}
}

// A word that no page it leads to uses is explained itself, lest a reader wonder
// what one has to do with the other.
func TestSynonymsAreExplained(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for word, ids := range synonyms {
		used := slices.ContainsFunc(ids, func(id string) bool {
			e, _ := Find(entries, id)
			text := words(e.ID + " " + e.Title + " " + e.Page)
			return !slices.ContainsFunc(words(word), func(w string) bool { return !slices.Contains(text, w) })
		})
		if !used && Meaning(word) == "" {
			t.Errorf("%q leads to %v, none of which uses the word: say in meanings.go what it means, and why they answer it", word, ids)
		}
	}
	for _, m := range meanings {
		for _, word := range m.words {
			if len(synonyms[word]) == 0 {
				t.Errorf("%q has a meaning and leads nowhere", word)
			}
		}
	}
	for _, word := range []string{"CLOSE_WAIT", "close-wait", "499", "Jitter", "bufferbloat", "hung  task", "replication lag"} {
		if Meaning(word) == "" {
			t.Errorf("%q is not explained", word)
		}
	}
}

// TestSearch wants the page that somebody means who types a word of the field.
func TestSearch(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, c := range []struct{ query, best string }{
		{"load", "sched.load"},
		{"LOAD AVERAGE", "sched.load"},
		{"CLOSE_WAIT", "proc/fd-limit"},
		{"499", "rt/first-disconnect"},
		{"jitter", "rt.quantiles"},
		{"throttling", "cpu/throttled"},
		{"throttled", "cpu/throttled"},
		{"bufferbloat", "packets.standing-queue"},
		{"hung task", "proc/uninterruptible"},
		{"replication lag", "mysql/long-transaction"},
		{"full", "disk/full"},
		{"leak", "mem/leak"},
		{"memory  leak", "mem/leak"},
		{"packet loss", "net/packet-loss"},
		{"too many open files", "proc/fd-limit"},
		{"buff/cache", "memory.cached"},
		{"resent", "resent"},
		{"hit%", "hit%"},
		{"rlw", "rlw"},
		{"zombies", "proc/zombies"},
		{"zombie", "proc/zombies"},
		{"steal", "cpu.steal"},
		{"swap", "mem/swapping"},
	} {
		list := Search(entries, c.query)
		switch {
		case len(list) == 0:
			t.Errorf("%q finds nothing, want %s", c.query, c.best)
		case list[0].ID != c.best:
			var first []string
			for _, e := range list[:min(len(list), 4)] {
				first = append(first, e.ID)
			}
			t.Errorf("%q opens %v, want %s", c.query, first, c.best)
		}
	}
	for _, query := range []string{"xyzzy", "los", "ack queue nonsenseword"} {
		if list := Search(entries, query); len(list) > 0 {
			t.Errorf("%q finds %s and %d others", query, list[0].ID, len(list)-1)
		}
	}
}

func TestSearchFindsEachOnce(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, word := range []string{"loss", "swap", "thread pool", "close_wait"} {
		seen := map[string]bool{}
		for _, e := range Search(entries, word) {
			if seen[e.ID] {
				t.Errorf("%q finds %s twice", word, e.ID)
			}
			seen[e.ID] = true
		}
	}
}
