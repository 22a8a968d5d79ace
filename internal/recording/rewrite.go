package recording

// Rewrite copies all rows into a buffer that can be committed elsewhere, with
// texts changed: so the same evidence can be looked at with other names.
func (r *Recording) Rewrite(change func(t Table, column, text string) string) (*Writer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := NewWriter(r.manifest.Started)
	for name, from := range r.tables {
		k := kindByName(name)
		texts := newTextList()
		words := k.load(from, 0, from.count(), texts, nil)
		for c, col := range k.columns() {
			if col.kind != text {
				continue
			}
			for i, n := range words[c] {
				words[c][i] = texts.number(change(name, col.name, texts.list[n]))
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
