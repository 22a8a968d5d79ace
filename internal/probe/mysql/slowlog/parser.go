package slowlog

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

const (
	// maxStatement bounds the bytes of a statement that are kept; the rest is
	// skipped. Inserts of many rows have megabytes, and are known by their begin.
	maxStatement = 64 << 10
	// maxLine bounds other lines.
	maxLine = 4 << 10
)

// Options of a Parser.
type Options struct {
	// Location is the time zone of the server, for logs with nothing but local
	// times; nil is the local one.
	Location *time.Location
	// Version is the server's, where it is known without the banner of the log.
	Version string
	// Statement words a statement, of which the text may be cut. nil leaves
	// statements out. The text is only valid during the call.
	Statement func(text []byte, cut bool) string
}

// Parser finds the entries in a log that comes in pieces. What comes before the
// first line with a user is passed over, so that it may begin anywhere.
type Parser struct {
	Options
	emit func(Entry)

	line []byte // the one that has no end yet
	over bool   // it has more bytes than are kept
	last byte   // of it

	writer writer
	where  where
	entry  Entry
	clock  time.Time // of the last line "# Time", if that has a time zone
	local  time.Time // of the last line "# Time" of another kind
	fresh  bool      // clock or local stand before this entry, not an earlier one
	db     string    // of the last line "use"
	stamp  time.Time // SET timestamp of this entry
	text   []byte    // its statement
	cut    bool
	ended  bool // the last line ended with a semicolon, as statements do
}

// where is the part of an entry that the next line belongs to.
type where int

const (
	outside where = iota // before the first entry
	head                 // after "# User@Host"
	body                 // after "SET timestamp", or within the statement
)

// NewParser makes a parser that calls emit with every entry.
func NewParser(o Options, emit func(Entry)) *Parser {
	if o.Location == nil {
		o.Location = time.Local
	}
	return &Parser{Options: o, emit: emit, writer: versionOf(o.Version)}
}

// Write takes in the next piece. It never fails.
func (p *Parser) Write(b []byte) (int, error) {
	n := len(b)
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			p.keep(b)
			return n, nil
		}
		p.keep(b[:end])
		p.take()
		b = b[end+1:]
	}
}

// keep adds to the line that has no end yet.
func (p *Parser) keep(b []byte) {
	if len(b) == 0 {
		return
	}
	// A line that ends with \r\n is as good.
	if b[len(b)-1] != '\r' {
		p.last = b[len(b)-1]
	} else if len(b) > 1 {
		p.last = b[len(b)-2]
	}
	room := maxStatement - len(p.line)
	if len(b) > room {
		b, p.over = b[:max(room, 0)], true
	}
	p.line = append(p.line, b...)
}

// take takes in the line that is complete now.
func (p *Parser) take() {
	p.understand(bytes.TrimSuffix(p.line, []byte("\r")))
	p.line, p.over, p.last = p.line[:0], false, 0
}

// Flush ends the last entry if it looks complete: at the end of a log that
// nobody writes to at the moment. It may be called at any time.
func (p *Parser) Flush() {
	if len(p.line) == 0 && p.ended {
		p.end()
	}
}

// Reset forgets what was begun: another part of the log follows.
func (p *Parser) Reset() {
	*p = Parser{Options: p.Options, emit: p.emit, writer: p.writer, line: p.line[:0], text: p.text[:0]}
}

var (
	timePrefix  = []byte("# Time: ")
	userPrefix  = []byte("# User@Host: ")
	adminPrefix = []byte("# administrator command: ")
)

func (p *Parser) understand(line []byte) {
	// A new entry begins, unless a statement goes on that has such a line.
	if p.where != body || p.ended {
		switch {
		case bytes.HasPrefix(line, timePrefix):
			p.end()
			p.time(string(line[len(timePrefix):min(len(line), maxLine)]))
			return
		case bytes.HasPrefix(line, userPrefix):
			p.user(string(line[len(userPrefix):min(len(line), maxLine)]))
			return
		case banner(line):
			p.end()
			p.db = ""
			if w, ok := bannerVersion(line); ok {
				p.writer = w
			}
			return
		}
	}
	switch p.where {
	case head:
		p.head(line)
	case body:
		p.body(line)
	}
}

// banner knows the lines that a server writes when it opens the log.
func banner(line []byte) bool {
	return bytes.HasSuffix(line, []byte(". started with:")) || bytes.HasPrefix(line, []byte("Tcp port: ")) && bytes.Contains(line, []byte("Unix socket: ")) ||
		bytes.HasPrefix(line, []byte("Time")) && bytes.HasSuffix(bytes.TrimRight(line, " "), []byte("Argument")) && bytes.Contains(line, []byte("Id Command"))
}

// time reads the time of one or more entries.
func (p *Parser) time(s string) {
	p.clock, p.local, p.fresh = time.Time{}, time.Time{}, true
	if t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(s)); err == nil {
		p.clock = t
	} else if f := strings.Fields(s); len(f) >= 2 { // 261121  8:14:04
		if t, err := time.ParseInLocation("060102 15:04:05", f[0]+" "+f[1], p.Location); err == nil {
			p.local = t
		}
	}
}

// user begins an entry.
func (p *Parser) user(s string) {
	e := noEntry(p.db)
	rest, ok := e.user(s)
	if !ok {
		if p.where == body {
			p.body(append(bytes.Clone(userPrefix), s...))
		}
		return
	}
	p.end()
	p.entry, p.where, p.ended = e, head, false
	p.values(rest)
}

// values reads pairs: "Rows_sent: 3  Rows_examined: 1004".
func (p *Parser) values(s string) {
	f := strings.Fields(s)
	for i := 0; i < len(f); i++ {
		name, ok := strings.CutSuffix(f[i], ":")
		if !ok {
			continue
		}
		v := ""
		if i+1 < len(f) && !strings.HasSuffix(f[i+1], ":") {
			v = f[i+1]
			i++
		}
		if name == "QC_hit" { // which only MariaDB has: the part of the log with the banner may be missing
			p.writer.maria = true
		}
		p.entry.value(name, v)
	}
}

// head reads a line between the user and the statement.
func (p *Parser) head(line []byte) {
	short := string(line[:min(len(line), maxLine)])
	switch {
	case strings.HasPrefix(short, "# administrator command: "):
		p.where = body
		p.body(line)
	case strings.HasPrefix(short, "#"):
		if !strings.HasPrefix(short, "# explain:") {
			p.values(strings.TrimLeft(short, "# "))
		}
	case strings.HasPrefix(short, "use ") && strings.HasSuffix(short, ";"):
		p.db = strings.ReplaceAll(strings.Trim(short[len("use "):len(short)-1], " `"), "``", "`")
		p.entry.DB = p.db
	case strings.HasPrefix(short, "SET ") && strings.Contains(short, "timestamp="):
		p.where = body
		_, digits, _ := strings.Cut(short, "timestamp=")
		// Users may set fractions of a second.
		digits, _, _ = strings.Cut(strings.TrimSuffix(digits, ";"), ".")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 {
			p.stamp = time.Unix(n, 0)
		}
	default: // before MySQL 5.1 there is no timestamp
		p.where = body
		p.body(line)
	}
}

// body reads a line of the statement.
func (p *Parser) body(line []byte) {
	p.ended = p.last == ';'
	if len(p.text) == 0 && bytes.HasPrefix(line, adminPrefix) {
		p.entry.Admin = strings.TrimSuffix(string(line[len(adminPrefix):min(len(line), maxLine)]), ";")
		p.ended = true
		return
	}
	if len(p.text) > 0 {
		p.text = append(p.text, '\n')
	}
	room := maxStatement - len(p.text)
	if len(line) > room {
		line, p.cut = line[:max(room, 0)], true
	}
	p.text = append(p.text, line...)
	p.cut = p.cut || p.over
}

// end ends the entry that was begun, if one was.
func (p *Parser) end() {
	if p.where == body && (len(p.text) > 0 || p.entry.Admin != "") {
		e := p.entry
		clock := true
		switch {
		case p.fresh && !p.clock.IsZero():
			e.Logged = p.clock
		case !p.stamp.IsZero():
			e.Logged, clock = p.stamp, false
		case !p.clock.IsZero():
			e.Logged = p.clock
		default:
			e.Logged = p.local
		}
		e.ended(&p.writer, clock)
		if p.Statement != nil && len(p.text) > 0 {
			text := p.text
			if !p.cut {
				text = bytes.TrimSuffix(text, []byte(";"))
			}
			e.Statement = p.Statement(text, p.cut || !p.ended)
		}
		p.emit(e)
	}
	if p.where != outside {
		p.fresh = false
	}
	p.where, p.stamp, p.text, p.cut, p.ended = outside, time.Time{}, p.text[:0], false, false
}
