package memcached

import (
	"bytes"

	"rtrail/internal/packet/flow"
)

// form is how the arguments of a command are read.
type form struct {
	name   string
	key    int // which word is the first key; 0: there is none
	keys   bool
	size   int // which word is the length of the value that follows; 0: none follows
	meta   bool
	silent bool // it has no answer
	least  int  // words, the command included
}

var forms = []form{
	{name: "get", key: 1, keys: true, least: 2},
	{name: "gets", key: 1, keys: true, least: 2},
	{name: "gat", key: 2, keys: true, least: 3},
	{name: "gats", key: 2, keys: true, least: 3},
	{name: "set", key: 1, size: 4, least: 5},
	{name: "add", key: 1, size: 4, least: 5},
	{name: "replace", key: 1, size: 4, least: 5},
	{name: "append", key: 1, size: 4, least: 5},
	{name: "prepend", key: 1, size: 4, least: 5},
	{name: "cas", key: 1, size: 4, least: 6},
	{name: "delete", key: 1, least: 2},
	{name: "incr", key: 1, least: 3},
	{name: "decr", key: 1, least: 3},
	{name: "touch", key: 1, least: 3},
	{name: "mg", key: 1, meta: true, least: 2},
	{name: "ms", key: 1, size: 2, meta: true, least: 3},
	{name: "md", key: 1, meta: true, least: 2},
	{name: "ma", key: 1, meta: true, least: 2},
	{name: "me", key: 1, meta: true, least: 2},
	{name: "mn", least: 1},
	{name: "stats", least: 1},
	{name: "flush_all", least: 1},
	{name: "version", least: 1},
	{name: "verbosity", least: 1},
	{name: "cache_memlimit", least: 2},
	{name: "slabs", least: 2},
	{name: "lru", least: 2},
	{name: "lru_crawler", least: 2},
	{name: "watch", least: 1},
	{name: "shutdown", least: 1},
	{name: "quit", silent: true, least: 1},
}

func formOf(name []byte) *form {
	for i := range forms {
		if string(name) == forms[i].name {
			return &forms[i]
		}
	}
	return nil
}

// word takes the first word of a line.
func word(line []byte) (first, rest []byte) {
	line = bytes.TrimLeft(line, " ")
	if n := bytes.IndexByte(line, ' '); n >= 0 {
		return line[:n], bytes.TrimLeft(line[n:], " ")
	}
	return line, nil
}

// read takes a command line apart; ok is false if it is none. size is the length of
// the value that follows, with its line end, -1 without one.
func read(line []byte) (f *form, key []byte, more, mute bool, size int64, ok bool) {
	first, rest := word(line)
	if f = formOf(first); f == nil {
		return nil, nil, false, false, -1, false
	}
	size, mute = -1, f.silent
	words := 1
	for len(rest) > 0 {
		first, rest = word(rest)
		switch {
		case words == f.key:
			key = first
		case words == f.size:
			n, valid := number(first)
			if !valid || n > maxValue {
				return f, nil, false, false, -1, false
			}
			size = n + 2
		case f.keys:
			more = true
		case len(rest) == 0 && string(first) == "noreply", f.meta && string(first) == "q":
			mute = true
		}
		words++
	}
	return f, key, more && f.keys && words > f.key+1, mute, size, words >= f.least
}

// command takes a line of the client.
func (p *parser) command(line []byte) (complete, ok bool) {
	f, key, more, mute, size, ok := read(line)
	q := p.queue.Tail()
	switch {
	case f == nil && !isWord(line):
		return false, false
	case f == nil:
		q.Command = "?"
		return true, true // it is answered by an error
	case !ok:
		q.Command = f.name
		return true, true // so is this, and no value is waited for
	}
	q.Command = f.name
	q.SetText(key, maxText)
	q.TextCut = more
	p.mute = mute
	if mute && f.meta {
		p.quiet = true
	}
	if size < 0 {
		return true, true
	}
	s := &p.sides[flow.ToServer]
	s.state, s.left = inData, size
	return false, true
}

// isWord says whether a line begins with what may be a command that is not known.
func isWord(line []byte) bool {
	first, _ := word(line)
	for _, c := range first {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return len(first) > 0
}

// number reads a number without sign.
func number(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 10 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
