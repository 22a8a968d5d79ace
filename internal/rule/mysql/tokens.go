package mysql

import (
	"slices"
	"strings"
)

// token is a word, a mark or an operator of a statement.
type token struct {
	text   string
	quoted bool // in backticks: never a keyword
}

// is compares with a keyword, given in capitals.
func (t token) is(keyword string) bool { return !t.quoted && strings.EqualFold(t.text, keyword) }

// name says that it can name a column or table.
func (t token) name() bool {
	if t.quoted {
		return true
	}
	if t.text == "" || !letter(t.text[0]) {
		return false
	}
	return !slices.Contains(reserved, strings.ToUpper(t.text))
}

// value says that it stands for a literal.
func (t token) value() bool {
	return !t.quoted && t.text != "" && (t.text[0] == '?' || t.text[0] == '\'' || t.text[0] == '"' || t.text[0] >= '0' && t.text[0] <= '9')
}

// reserved words that may stand where a column is looked for, and never name
// one without backticks.
var reserved = []string{"AND", "OR", "XOR", "NOT", "IN", "IS", "NULL", "LIKE", "RLIKE", "REGEXP", "BETWEEN", "EXISTS", "SELECT", "FROM", "WHERE", "GROUP",
	"ORDER", "BY", "HAVING", "LIMIT", "CASE", "WHEN", "THEN", "ELSE", "INTERVAL", "MATCH", "AGAINST", "BINARY", "TRUE", "FALSE", "ASC", "DESC", "AS", "ON",
	"USING", "JOIN", "LEFT", "RIGHT", "INNER", "OUTER", "CROSS", "NATURAL", "STRAIGHT_JOIN", "UNION", "SET", "VALUES", "FORCE", "USE", "IGNORE", "INDEX",
	"KEY", "DUAL", "DISTINCT", "ALL", "ANY", "DIV", "MOD", "COLLATE", "FOR", "LOCK", "INTO"}

// tokens splits a statement. Comments are left out; literals, if any are left,
// become one token each.
func tokens(text string) []token {
	var list []token
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return list
			}
			i += 2 + end + 2
		case c == '`':
			end := strings.IndexByte(text[i+1:], '`')
			if end < 0 {
				return list // cut
			}
			list = append(list, token{text: text[i+1 : i+1+end], quoted: true})
			i += end + 2
		case c == '\'' || c == '"':
			end := i + 1
			for end < len(text) && text[end] != c {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			list = append(list, token{text: text[i:end]})
			i = end
		case letter(c) || c >= '0' && c <= '9':
			end := i
			for end < len(text) && (letter(text[end]) || text[end] >= '0' && text[end] <= '9') {
				end++
			}
			list = append(list, token{text: text[i:end]})
			i = end
		default:
			n := 1
			for _, op := range []string{"<=>", "<=", ">=", "<>", "!=", "||", "&&", ":="} {
				if strings.HasPrefix(text[i:], op) {
					n = len(op)
					break
				}
			}
			list = append(list, token{text: text[i : i+n]})
			i += n
		}
	}
	return list
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '@' || c >= 0x80
}

// indexAtTop finds the first of some keywords outside of parentheses; -1
// without one.
func indexAtTop(t []token, keywords ...string) int {
	depth := 0
	for i, x := range t {
		switch {
		case x.text == "(" && !x.quoted:
			depth++
		case x.text == ")" && !x.quoted:
			depth--
		case depth == 0 && slices.ContainsFunc(keywords, x.is):
			return i
		}
	}
	return -1
}
