package shelltest

import (
	"fmt"
	"strings"
)

// syntaxOf is how a language that stands in a command quotes.
type syntaxOf struct {
	quotes    string
	backslash bool // keeps the quote behind it from ending
	doubled   bool // a quote that is doubled is a part of the text
}

// languages are read in every way that their readers may be set to: MySQL without
// backslashes if sql_mode has NO_BACKSLASH_ESCAPES.
var languages = map[string][]syntaxOf{
	"SQL":            {{quotes: "'\"`", backslash: true, doubled: true}, {quotes: "'\"`", doubled: true}},
	"display filter": {{quotes: `"`, backslash: true}},
	"expression":     {{quotes: `"`, backslash: true}},
	"nft":            {{quotes: `"`}},
}

// mask is a text with a Q in place of all that is quoted, and of the bare words
// that hold the Marker.
func (s syntaxOf) mask(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.IndexByte(s.quotes, text[i]) < 0 {
			end := i
			for end < len(text) && bare(text[end]) {
				end++
			}
			switch {
			case end == i:
				end++
				b.WriteString(text[i:end])
			case strings.Contains(text[i:end], Marker):
				b.WriteByte('Q')
			default:
				b.WriteString(text[i:end])
			}
			i = end
			continue
		}
		end := s.close(text, i)
		if end < 0 {
			return "", fmt.Errorf("%q ends within quotes", text)
		}
		b.WriteByte('Q')
		i = end
	}
	return b.String(), nil
}

// close is where what is quoted from i on ends; -1 without an end.
func (s syntaxOf) close(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && s.backslash && quote != '`':
			i++
		case text[i] != quote:
		case s.doubled && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

func bare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
