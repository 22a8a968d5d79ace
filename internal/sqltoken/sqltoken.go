// Package sqltoken splits statements of MySQL and MariaDB into words and marks. It
// knows what the server's lexer knows, and no grammar.
package sqltoken

import (
	"slices"
	"strings"

	"rtrail/internal/packet/fingerprint"
)

// Token is a word, a mark, an operator or a literal of a statement.
type Token struct {
	Text    string
	Quoted  bool // in backticks: never a keyword
	At, End int  // its bytes in the statement
}

// Executable is the text of the token for a comment that servers execute, as in
// /*!40001 SQL_NO_CACHE */. What it holds is not split.
const Executable = "/*!"

// Is compares with a keyword, given in capitals.
func (t Token) Is(keyword string) bool { return !t.Quoted && strings.EqualFold(t.Text, keyword) }

// Name says that it can name a column or table.
func (t Token) Name() bool {
	if t.Quoted {
		return true
	}
	if t.Text == "" || !letter(t.Text[0]) {
		return false
	}
	return !fingerprint.Reserved(strings.ToUpper(t.Text))
}

// Value says that it stands for a literal.
func (t Token) Value() bool {
	return !t.Quoted && t.Text != "" && (t.Text[0] == '?' || t.Text[0] == '\'' || t.Text[0] == '"' || t.Text[0] >= '0' && t.Text[0] <= '9')
}

// Split splits a statement. Comments are left out, but for those that servers
// execute; a literal is one token. What follows an open backtick or comment is
// left out: the statement was cut there.
func Split(text string) []Token {
	var list []Token
	for i := 0; i < len(text); {
		end, quoted := extent(text, i)
		if end < 0 {
			return list
		}
		t := Token{Text: text[i:end], Quoted: quoted, At: i, End: end}
		i = end
		switch {
		case quoted:
			t.Text = strings.ReplaceAll(t.Text[1:len(t.Text)-1], "``", "`")
		case strings.HasPrefix(t.Text, "/*!") || strings.HasPrefix(t.Text, "/*M!"):
			t.Text = Executable
		case strings.ContainsRune(" \t\n\r\f\v#", rune(t.Text[0])) || strings.HasPrefix(t.Text, "/*") || comments(t.Text):
			continue
		}
		list = append(list, t)
	}
	return list
}

// extent is where the token, the comment or the blank that begins at i ends; -1
// if it does not. quoted says that it is a name in backticks.
func extent(text string, i int) (end int, quoted bool) {
	rest := text[i:]
	switch c := text[i]; {
	case strings.HasPrefix(rest, "/*"):
		return closed(text, i+2, "*/"), false
	case c == '#' || comments(rest):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n, false
		}
		return len(text), false
	case c == '`':
		for end = closed(text, i+1, "`"); end > 0 && strings.HasPrefix(text[end:], "`"); {
			end = closed(text, end+1, "`") // a doubled one is a part of the name
		}
		return end, true
	case c == '\'' || c == '"':
		end := i + 1
		for end < len(text) && text[end] != c {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		return min(end+1, len(text)), false
	case word(c):
		end := i
		for end < len(text) && word(text[end]) {
			end++
		}
		return end, false
	}
	for _, op := range []string{"<=>", "<=", ">=", "<>", "!=", "||", "&&", ":="} {
		if strings.HasPrefix(rest, op) {
			return i + len(op), false
		}
	}
	return i + 1, false
}

func closed(text string, from int, mark string) int {
	n := strings.Index(text[min(from, len(text)):], mark)
	if n < 0 {
		return -1
	}
	return from + n + len(mark)
}

// comments says whether a comment begins with two dashes: a blank follows them,
// else they are two signs.
func comments(text string) bool {
	return strings.HasPrefix(text, "--") && (len(text) == 2 || text[2] <= ' ')
}

func word(c byte) bool { return letter(c) || c >= '0' && c <= '9' }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '@' || c >= 0x80
}

// IndexAtTop finds the first of some keywords outside of parentheses; -1
// without one.
func IndexAtTop(t []Token, keywords ...string) int {
	depth := 0
	for i, x := range t {
		switch {
		case x.Quoted:
		case x.Text == "(":
			depth++
		case x.Text == ")":
			depth--
		case depth == 0 && slices.ContainsFunc(keywords, x.Is):
			return i
		}
	}
	return -1
}
