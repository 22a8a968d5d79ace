package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"
)

// maxKept bounds what is kept of a document that is looked into.
const maxKept = 64 << 20

// output takes what a run prints: it must be text without control characters, and
// valid where it is JSON. Of a long list nothing is kept.
type output struct {
	kept   bytes.Buffer
	keep   bool
	rest   []byte // of a character that the next write ends
	dirty  string
	decode *io.PipeWriter
	parsed chan error
}

func newOutput(isJSON, keep bool) *output {
	o := &output{keep: keep}
	if isJSON {
		r, w := io.Pipe()
		o.decode, o.parsed = w, make(chan error, 1)
		go func() {
			o.parsed <- parse(r)
			_, _ = io.Copy(io.Discard, r) // what follows a fault is not needed
		}()
	}
	return o
}

// parse reads JSON documents up to the end.
func parse(r io.Reader) error {
	d := json.NewDecoder(r)
	for open := 0; ; {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && open > 0:
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case token == json.Delim('{') || token == json.Delim('['):
			open++
		case token == json.Delim('}') || token == json.Delim(']'):
			open--
		}
	}
}

// Write never fails: the run shall end by itself.
func (o *output) Write(p []byte) (int, error) {
	if o.keep && o.kept.Len()+len(p) <= maxKept {
		o.kept.Write(p)
	}
	if o.decode != nil {
		_, _ = o.decode.Write(p)
	}
	if o.dirty == "" {
		text := append(o.rest, p...)
		whole := wholeRunes(text)
		o.dirty = unprintable(text[:whole])
		o.rest = append([]byte(nil), text[whole:]...)
	}
	return len(p), nil
}

// wholeRunes is the length of a text without a character at its end of which the
// rest is yet to come.
func wholeRunes(text []byte) int {
	for i := len(text) - 1; i >= 0 && len(text)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if utf8.FullRune(text[i:]) {
				return len(text)
			}
			return i
		}
	}
	return len(text)
}

// close says what was wrong with the output; "" if nothing.
func (o *output) close() string {
	var wrong error
	if o.decode != nil {
		_ = o.decode.Close()
		wrong = <-o.parsed
	}
	if o.dirty == "" && len(o.rest) > 0 {
		o.dirty = unprintable(o.rest)
	}
	if o.dirty == "" && wrong != nil {
		return fmt.Sprintf("not JSON: %v", wrong)
	}
	return o.dirty
}

// unprintable says which character of a text a terminal could take for an order,
// or a reader for another text: control characters, changes of the direction
// of writing, broken UTF-8.
func unprintable(text []byte) string {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return fmt.Sprintf("byte %#x is not UTF-8: %q", text[i], around(text, i))
		case r == '\n' || r == '\t' || r == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return fmt.Sprintf("control character %U: %q", r, around(text, i))
		}
		i += n
	}
	return ""
}

func around(text []byte, i int) []byte { return text[max(0, i-30):min(len(text), i+30)] }

// checkPage looks at a page that the run wrote.
func (end *ending) checkPage(path string) {
	page, err := os.ReadFile(path)
	switch {
	case err != nil && end.code == 0:
		end.fault, end.what = "output", err.Error()
	case err == nil:
		if bad := unprintable(page); bad != "" {
			end.fault, end.what = "output", "page: "+bad
		}
	}
}
