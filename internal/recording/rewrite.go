package recording

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
		for c, col := range k.columns() {
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
		if err := k.store(into, words, texts.list, nil); err != nil {
			return nil, err
		}
		w.tables[name] = into
	}
	return w, nil
}
