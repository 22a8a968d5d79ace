package recording

import (
	"math"
	"time"
)

// Rewrite copies all rows into a buffer that can be committed elsewhere, with
// texts changed, and what else is in columns as its 64 bits: so the same evidence
// can be looked at with other names and numbers. Either may be nil.
func (r *Recording) Rewrite(change func(t Table, column, text string) string, number func(t Table, column string, row int, bits int64) int64) (*Writer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := NewWriter(r.manifest.Started)
	for name, from := range r.tables {
		k := kindByName(name)
		texts := newTextList()
		words := k.load(from, 0, from.count(), texts, nil)
		for c, col := range k.columns {
			for i, n := range words[c] {
				switch {
				case col.kind == text && change != nil:
					words[c][i] = texts.number(change(name, col.name, texts.list[n]))
				case col.kind != text && number != nil:
					words[c][i] = number(name, col.name, i, n)
				}
			}
		}
		into := k.empty()
		if err := k.store(into, words, texts.list, k.choose(words, len(words[0]), nil)); err != nil {
			return nil, err
		}
		w.tables[name] = into
	}
	return w, nil
}

// TextColumns lists the columns of text of a table this version knows.
func TextColumns(t Table) (names []string) {
	if k := kindByName(t); k != nil {
		for _, col := range k.columns {
			if col.kind == text {
				names = append(names, col.name)
			}
		}
	}
	return names
}

// Invent makes a row of every table, for tests that must reach all columns: its
// texts are what say gives, its times are at, and its numbers are all number,
// as far as they fit.
func Invent(at time.Time, number int8, say func(t Table, column string) string) *Writer {
	w := NewWriter(at)
	for _, k := range catalogue {
		texts := newTextList()
		words := make([][]word, len(k.columns))
		for c, col := range k.columns {
			one := word(number)
			switch col.kind {
			case text:
				one = texts.number(say(k.name, col.name))
			case moment:
				one = at.UnixNano() / col.unit
			case float:
				one = word(math.Float64bits(float64(number)))
			case boolean:
				one = word(number & 1)
			}
			words[c] = []word{one}
		}
		into := k.empty()
		if err := k.store(into, words, texts.list, k.choose(words, len(words[0]), nil)); err != nil {
			panic(err) // no column refuses a number below 128
		}
		w.tables[k.name] = into
	}
	return w
}
