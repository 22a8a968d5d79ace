package fingerprint

import (
	"bytes"

	"github.com/DataDog/go-sqllexer"
)

const (
	maxShape = 4096 // bytes of a shape; longer ones end in dots
	maxWord  = 128  // bytes of a name: MySQL has names of 64 characters, PostgreSQL of 63 bytes
	maxDepth = 16   // parentheses within which lists are collapsed
)

// dialect is what tells literals from names in a family of SQL.
type dialect struct {
	system       sqllexer.DBMSType
	tag          byte
	backslash    bool // escapes within '...'
	doubleQuoted bool // "..." is a string; else a name
	hash         bool // begins a comment
	bareDashes   bool // "--" begins a comment without a space after it
	nested       bool // comments may hold comments
	dollar       bool // $tag$...$tag$ is a string, $1 a parameter
	cql          bool // ? is a parameter nonetheless, UUIDs have no quotes, // begins a comment
	money        bool // $1 is a number
}

// As they are unless somebody changed sql_mode or standard_conforming_strings. Whether "..."
// is a name for SQL Server depends on the client (QUOTED_IDENTIFIER): it may be a string. See shape.statement for those who did.
var (
	mysql    = dialect{system: sqllexer.DBMSMySQL, tag: 'm', backslash: true, doubleQuoted: true, hash: true}
	postgres = dialect{system: sqllexer.DBMSPostgres, tag: 'p', bareDashes: true, nested: true, dollar: true}
	transact = dialect{system: sqllexer.DBMSSQLServer, tag: 't', doubleQuoted: true, bareDashes: true, nested: true, money: true}
	cql      = dialect{system: sqllexer.DBMSPostgres, tag: 'c', bareDashes: true, dollar: true, cql: true}
)

// shape is a request on its way to its shape.
type shape struct {
	out   []byte
	bones [bones]byte // the skeleton
	begin int         // where the statement begins in out

	d         *dialect
	backslash bool
	literal   bool // the last token was a literal
	space     bool // there was a space or a comment after the last token
	misread   bool // quotes do not add up: what seems a name may be a literal
	open      bool // the text ended within a string or a comment
	first     int  // where the first string was; -1: none yet
	depth     int
	start     [maxDepth]int // where the open groups begin
	from, to  [maxDepth]int // the group closed last at each depth
}

// statement makes the shape of a statement. Where quotes do not add up, the
// server reads backslashes otherwise than servers usually do: then the other
// reading is tried, and if that does not add up either, everything from the
// first string on is dropped.
func (s *shape) statement(d *dialect, command string, text []byte, cut bool) {
	s.out = append(s.out[:0], d.tag)
	if command != "Query" && command != "Execute" {
		s.out = append(s.out, command...)
	}
	s.out = append(s.out, 0)
	s.begin = len(s.out)
	s.scan(d, d.backslash, text, cut)
	if !s.misread {
		return
	}
	s.out = s.out[:s.begin]
	s.scan(d, !d.backslash, text, cut)
	if s.misread {
		s.out = append(s.out[:max(s.first, s.begin)], dots...)
	}
}

// Classes of bytes.
const (
	other = iota
	blank
	word
	digit
	single // '
	double // "
	back   // `
	dash
	slash
	hash
	dollar
	opening
	closing
	comma
	dot
	at
	question
)

var class = func() (c [256]uint8) {
	for i := range c {
		switch b := byte(i); {
		case b <= ' ':
			c[i] = blank
		case b >= '0' && b <= '9':
			c[i] = digit
		case b|0x20 >= 'a' && b|0x20 <= 'z', b == '_', b >= 0x80:
			c[i] = word
		}
	}
	for b, k := range map[byte]uint8{'\'': single, '"': double, '`': back, '-': dash, '/': slash, '#': hash,
		'$': dollar, '(': opening, ')': closing, ',': comma, '.': dot, '@': at, '?': question, 0x7f: blank} {
		c[b] = k
	}
	return c
}()

// inWord says whether a byte may go on a name.
var inWord = func() (w [256]bool) {
	for i, k := range class {
		w[i] = k == word || k == digit || k == dollar || k == at
	}
	return w
}()

func (s *shape) scan(d *dialect, backslash bool, text []byte, cut bool) {
	s.d, s.backslash = d, backslash
	s.literal, s.space, s.misread, s.open, s.first, s.depth = false, false, false, false, -1, 0
	i := 0
	for i < len(text) {
		if len(s.out) >= maxShape {
			s.out = append(s.out, dots...)
			return
		}
		b := text[i]
		if d.cql && isUUID(text[i:], cut) {
			s.value(false)
			i += min(uuidBytes, len(text)-i)
			continue
		}
		switch class[b] {
		case blank:
			s.space = true
			i++
		case word:
			i = s.word(text, i, cut)
		case digit:
			i = s.number(text, i)
		case single:
			i = s.quoted(text, i, s.backslash)
		case double:
			if d.doubleQuoted {
				i = s.quoted(text, i, s.backslash)
			} else {
				i = s.name(text, i)
			}
		case back:
			i = s.name(text, i)
		case dash:
			if end := s.comment(text, i); end > i {
				i = end
				continue
			}
			i = s.operator(text, i)
		case slash:
			if end := s.comment(text, i); end > i {
				i = end
				continue
			}
			i = s.operator(text, i)
		case hash:
			if d.hash {
				i = line(text, i)
				s.space = true
				continue
			}
			i = s.operator(text, i)
		case dollar:
			i = s.dollar(text, i, cut)
		case at:
			if i+1 < len(text) && (inWord[text[i+1]]) {
				i = s.word(text, i, cut)
				continue
			}
			i = s.operator(text, i)
		case question:
			if d.dollar && !d.cql { // an operator; parameters are $1
				i = s.operator(text, i)
				continue
			}
			s.value(false)
			i++
		case opening:
			s.group()
			i++
		case closing:
			s.close()
			i++
		case comma:
			s.out = append(s.out, ',')
			s.literal, s.space = false, false
			i++
		case dot:
			if i+1 < len(text) && class[text[i+1]] == digit && (s.space || !s.afterName()) {
				i = s.number(text, i)
				continue
			}
			s.out = append(s.out, '.')
			s.literal, s.space = false, false
			i++
		default:
			i = s.operator(text, i)
		}
	}
	s.finish(cut)
}

// finish ends a shape: what was cut off within a row like the one before is
// taken for such a row.
func (s *shape) finish(cut bool) {
	if !cut {
		s.misread = s.misread || s.open
		for len(s.out) > s.begin && s.out[len(s.out)-1] == ';' {
			s.out = s.out[:len(s.out)-1]
		}
		return
	}
	if s.depth > 0 && s.depth <= maxDepth {
		d := s.depth - 1
		from, to, row := s.from[d], s.to[d], s.start[d]
		if to > from && to == row-1 && s.out[to] == ',' && bytes.HasPrefix(s.out[from:to], s.out[row:]) {
			s.out = s.out[:to]
		}
	}
	if n := len(s.out); n > s.begin && s.out[n-1] == ',' {
		s.out = s.out[:n-1]
	}
	s.out = append(s.out, dots...)
}

func (s *shape) last() byte {
	if len(s.out) > s.begin {
		return s.out[len(s.out)-1]
	}
	return '('
}

// afterName says whether the last token was a name.
func (s *shape) afterName() bool {
	b := s.last()
	return inWord[b] || b == '`' || b == '"'
}

// separate puts a space between two tokens that would become one.
func (s *shape) separate() {
	if len(s.out) == s.begin {
		return
	}
	switch b := s.last(); {
	case b == '.' && !s.space, b == '(', b == ',':
	case s.literal, s.space, inWord[b], b == '`', b == '"', b == ')':
		s.out = append(s.out, ' ')
	}
}

func (s *shape) word(text []byte, i int, cut bool) int {
	j := i + 1
	for j < len(text) && inWord[text[j]] {
		j++
	}
	name := text[i:j]
	if j == len(text) {
		if cut && j > i {
			return j // who knows how it goes on
		}
	} else if q := text[j]; q == '\'' || q == '"' && s.d.doubleQuoted {
		switch b := name[0] | 0x20; {
		case len(name) == 1 && (b == 'x' || b == 'b' || b == 'n'), name[0] == '_':
			return s.quoted(text, j, s.backslash)
		case len(name) == 1 && b == 'e' && s.d.dollar:
			return s.quoted(text, j, true)
		}
	}
	if s.constant(name) {
		s.value(false)
		return j
	}
	s.separate()
	s.out = append(s.out, name[:min(len(name), maxWord)]...)
	s.literal, s.space = false, false
	return j
}

// operator copies a byte that is neither in a name nor in a literal. Both
// spellings of "not equal" become one.
func (s *shape) operator(text []byte, i int) int {
	b := text[i]
	if b == ';' && (len(s.out) == s.begin || s.last() == ';') {
		return i + 1 // a statement without words is none
	}
	if len(s.out) > s.begin {
		l := s.last()
		symbol := class[l] == other || class[l] == dash || class[l] == slash
		// Two dashes would be a comment to whoever reads the shape.
		if s.literal || s.space && symbol || b == '-' && l == '-' || b == '*' && l == '/' {
			s.out = append(s.out, ' ')
		}
	}
	s.literal, s.space = false, false
	if b == '!' && i+1 < len(text) && text[i+1] == '=' {
		s.out = append(s.out, "<>"...)
		return i + 2
	}
	s.out = append(s.out, b)
	return i + 1
}

// comment returns the first byte after the comment that begins here, or where
// it stands if there is none.
func (s *shape) comment(text []byte, i int) int {
	if i+1 >= len(text) {
		return i
	}
	switch {
	case text[i] == '-' && text[i+1] == '-' && (s.d.bareDashes || i+2 >= len(text) || class[text[i+2]] == blank):
		s.space = true
		return line(text, i)
	case text[i] == '/' && text[i+1] == '/' && s.d.cql:
		s.space = true
		return line(text, i)
	case text[i] == '/' && text[i+1] == '*':
		s.space = true
		depth := 1
		for j := i + 2; j+1 < len(text); j++ {
			switch {
			case text[j] == '*' && text[j+1] == '/':
				j++
				if depth--; depth == 0 {
					return j + 1
				}
			case s.d.nested && text[j] == '/' && text[j+1] == '*':
				depth++
				j++
			}
		}
		return len(text)
	}
	return i
}

// line is the first byte of the next line.
func line(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

func (s *shape) group() {
	if s.literal || s.space && class[s.last()] == other {
		s.out = append(s.out, ' ')
	}
	if s.depth < maxDepth {
		s.start[s.depth] = len(s.out)
	}
	s.depth++
	s.out = append(s.out, '(')
	s.literal, s.space = false, false
}

// close ends a group. One like its neighbour, rows of VALUES above all, goes.
func (s *shape) close() {
	s.out = append(s.out, ')')
	s.literal, s.space = false, false
	if s.depth == 0 {
		return
	}
	s.depth--
	if s.depth >= maxDepth {
		return
	}
	d := s.depth
	row, from, to := s.start[d], s.from[d], s.to[d]
	if to > from && from >= s.begin && to == row-1 && s.out[to] == ',' && bytes.Equal(s.out[from:to], s.out[row:]) {
		s.out = s.out[:to]
		return
	}
	s.from[d], s.to[d] = row, len(s.out)
}
