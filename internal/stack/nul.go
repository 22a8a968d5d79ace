package stack

import (
	"bytes"
	"errors"
	"io"
)

// withoutNUL takes NUL bytes out of a text. A log whose beginning was cut away
// under the program that writes it begins with a hole, and a crash leaves some
// in the middle; what stands around them is as good as any.
type withoutNUL struct {
	in   io.Reader
	seen bool  // there were some
	run  int64 // of them in a row, up to here
}

// maxHole ends the reading of what is NUL forever, as /dev/zero. Longer
// than any log that somebody rotates, and a few seconds of reading.
const maxHole = 4 << 30

var errHole = errors.New("there are 4 GB of NUL bytes in a row")

func (w *withoutNUL) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, err := w.in.Read(p)
		kept := w.keep(p[:n])
		switch {
		case kept > 0 || err != nil:
			return kept, err
		case w.run >= maxHole:
			return 0, errHole
		}
	}
}

// keep moves the bytes of text that are no NUL to its beginning and says how
// many there are.
func (w *withoutNUL) keep(text []byte) int {
	at := bytes.IndexByte(text, 0)
	if at < 0 {
		w.run = 0
		return len(text)
	}
	w.seen = true
	kept := at
	if kept > 0 {
		w.run = 0
	}
	for _, c := range text[at:] {
		if c == 0 {
			w.run++
			continue
		}
		w.run = 0
		text[kept] = c
		kept++
	}
	return kept
}

// beginsAsText tells a text that has NUL bytes in it, which are out of head
// already, from a binary file, as a capture of packets in which a dump went over
// the wire: what describes such files, at their beginning, is no text.
func beginsAsText(head []byte) bool {
	line, _ := cutLine(bytes.TrimLeft(head, "\r\n"))
	return !bytes.ContainsFunc(line, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\r' && r != '\f' && r != '\x1b' // which begins a colour
	})
}
