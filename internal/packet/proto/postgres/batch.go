package postgres

import (
	"bytes"

	"rtrail/internal/packet/proto/pair"
)

const (
	// maxStatements is how many different statements of a group its text has.
	// What drivers send in one go is a BEGIN, settings, a statement and a COMMIT,
	// or one statement many times over.
	maxStatements = 8
	// separator stands between statements. The line end is for a statement that
	// ends with a comment.
	separator = "\n; "
)

// batch is which statements the text of the open group is made of: each one
// once, in the order in which they were first executed.
type batch struct {
	ends    [maxStatements]uint16 // where each statement ends in the text
	n       uint8
	begun   bool // something was executed
	torn    bool // the text ends within a statement: nothing can follow
	missing bool // a statement is not in the text
}

// executed makes a statement part of the text of the group. No text: it is not
// known.
func (p *parser) executed(t *pair.Pending, text []byte, cut bool) {
	b := &p.batch
	switch {
	case b.torn:
		return
	case !b.begun:
		// What the text was until now was parsed only.
		t.TextCut = false
		t.SetText(nil, maxText)
	case b.has(t.Text(), text):
		return
	}
	b.begun = true
	if len(text) > 0 && b.n < maxStatements {
		b.part(t)
		t.AppendText(text, maxText)
		t.TextCut = t.TextCut || cut
		b.torn = cut || len(t.Text()) == maxText
		b.ends[b.n] = uint16(len(t.Text()))
		b.n++
	} else {
		b.missing = true
	}
	if b.missing && b.n > 0 && !b.torn {
		// The last statement is whole, the text is not.
		b.part(t)
		t.TextCut = true
	}
}

// part ends the last statement of the text, if there is one that has not ended.
func (b *batch) part(t *pair.Pending) {
	if b.n > 0 && len(t.Text()) == int(b.ends[b.n-1]) {
		t.AppendText([]byte(separator), maxText)
	}
}

// has says whether a statement is in the text already.
func (b *batch) has(of, text []byte) bool {
	from := 0
	for _, end := range b.ends[:b.n] {
		if bytes.Equal(of[from:end], text) {
			return true
		}
		from = int(end) + len(separator)
	}
	return false
}
