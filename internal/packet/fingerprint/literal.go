package fingerprint

import "bytes"

// constant says whether a word is a value among values: (1, NULL, true).
func (s *shape) constant(w []byte) bool {
	switch len(w) {
	case 4, 5, 7:
	default:
		return false
	}
	if b := s.last(); b != '(' && !(b == ',' && s.listed()) {
		return false
	}
	if s.depth == 0 {
		return false
	}
	var low [7]byte
	for i, b := range w {
		low[i] = b | 0x20
	}
	switch string(low[:len(w)]) {
	case "null", "true", "false", "default":
		return true
	}
	return false
}

// listed says whether the open group holds nothing but values up to the comma
// just written.
func (s *shape) listed() bool {
	return s.depth > 0 && s.depth <= maxDepth && s.start[s.depth-1] == len(s.out)-3 && s.out[len(s.out)-2] == '?'
}

// value writes a literal. Within a list of literals one stands for all.
func (s *shape) value(text bool) {
	b := s.last()
	if b == ',' && s.listed() {
		s.out = s.out[:len(s.out)-1]
		s.literal, s.space = true, false
		return
	}
	if text && s.literal {
		s.space = false
		return // 'a' 'b' is one string
	}
	if b == '-' || b == '+' {
		b = s.sign(b)
		if s.last() == ',' && s.listed() {
			s.value(text)
			return
		}
	}
	if len(s.out) > s.begin && b != '(' && b != ',' && b != ' ' {
		s.out = append(s.out, ' ')
	}
	s.out = append(s.out, '?')
	s.literal, s.space = true, false
}

// sign drops a sign that belongs to the literal that follows: one after an
// operator, a comma or a parenthesis.
func (s *shape) sign(b byte) byte {
	n := len(s.out) - 1
	k := n
	for k > s.begin && s.out[k-1] == ' ' {
		k--
	}
	if k == s.begin {
		s.out = s.out[:k]
		return '('
	}
	switch before := s.out[k-1]; before {
	case '(', ',', '=', '<', '>', '*', '/', '%', '-', '+':
		s.out = s.out[:k]
		return before
	}
	return b
}

func (s *shape) number(text []byte, i int) int {
	j := i + 1
	hex := text[i] == '0' && j < len(text) && text[j]|0x20 == 'x'
	for j < len(text) {
		b := text[j]
		if inWord[b] || b == '.' {
			j++
			continue
		}
		if (b == '-' || b == '+') && !hex && text[j-1]|0x20 == 'e' && j+1 < len(text) && class[text[j+1]] == digit {
			j++
			continue
		}
		break
	}
	s.value(false)
	return j
}

// uuidBytes is the length of a UUID as text.
const uuidBytes = 36

// isUUID says whether a text begins with one, and not with something longer; where the
// text is cut, its beginning up to a dash at least is enough.
func isUUID(text []byte, cut bool) bool {
	const dash = 8
	switch n := len(text); {
	case n < uuidBytes && (!cut || n <= dash), n > uuidBytes && inWord[text[uuidBytes]]:
		return false
	}
	for i, b := range text[:min(len(text), uuidBytes)] {
		switch dashed := i == dash || i == 13 || i == 18 || i == 23; {
		case dashed && b != '-', !dashed && class[b] != digit && (b|0x20 < 'a' || b|0x20 > 'f'):
			return false
		}
	}
	return true
}

// quoted skips a string.
func (s *shape) quoted(text []byte, i int, backslash bool) int {
	if s.first < 0 {
		s.first = len(s.out)
	}
	j := closed(text, i, backslash)
	s.value(true)
	if j < 0 {
		s.open = true
		return len(text)
	}
	if j < len(text) && inWord[text[j]] {
		s.misread = true
	}
	return j
}

// closed finds the first byte after a quoted run; -1 if it does not end.
func closed(text []byte, i int, backslash bool) int {
	q := text[i]
	for j := i + 1; j < len(text); j++ {
		switch b := text[j]; {
		case b == '\\' && backslash:
			j++
		case b != q:
		case j+1 < len(text) && text[j+1] == q:
			j++
		default:
			return j + 1
		}
	}
	return -1
}

// name copies a quoted name.
func (s *shape) name(text []byte, i int) int {
	j := closed(text, i, false)
	if j < 0 {
		s.open = true
		if s.first < 0 {
			s.first = len(s.out)
		}
		return len(text)
	}
	s.separate()
	n := text[i:j]
	if len(n) > maxWord {
		s.out = append(append(s.out, n[:maxWord]...), n[0])
	} else {
		s.out = append(s.out, n...)
	}
	s.literal, s.space = false, false
	return j
}

// dollar reads $1, $12.50, $tag$...$tag$, or a name.
func (s *shape) dollar(text []byte, i int, cut bool) int {
	switch {
	case s.d.money && i+1 < len(text) && (class[text[i+1]] == digit || text[i+1] == '.'):
		return s.number(text, i)
	case !s.d.dollar:
		return s.word(text, i, cut)
	}
	j := i + 1
	for j < len(text) && (class[text[j]] == word || class[text[j]] == digit) {
		j++
	}
	switch {
	case j > i+1 && class[text[i+1]] == digit:
		s.value(false)
		return j
	case j < len(text) && text[j] == '$':
		if s.first < 0 {
			s.first = len(s.out)
		}
		tag := text[i : j+1]
		s.value(true)
		end := bytes.Index(text[j+1:], tag)
		if end < 0 {
			s.open = true
			return len(text)
		}
		return j + 1 + end + len(tag)
	}
	return s.operator(text, i)
}
