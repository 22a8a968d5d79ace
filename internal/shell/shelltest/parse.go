// Package shelltest reads commands as shells do, without running them, and says
// whether a name that came from outside changed what they do.
package shelltest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word that a shell takes as it stands: nothing in it is expanded.
type word struct {
	value   string
	before  []string // words of the same command before it; "" for those that are expanded
	guarded bool     // one of them is "--"
	unknown bool     // it is written in $'...', of a shell that does not know that
}

// parsed is what a shell makes of a command: its form, in which words that are
// not expanded are a "word" each, and these words.
type parsed struct {
	form  string
	words []word
}

// parse reads a command in a dialect of the shell.
func parse(command string, dialect syntax.LangVariant) (parsed, error) {
	p := syntax.NewParser(syntax.Variant(dialect), syntax.KeepComments(true))
	file, err := p.Parse(strings.NewReader(command), "")
	if err != nil {
		return parsed{}, err
	}
	r := reader{}
	syntax.Walk(file, r.visit)
	return parsed{strings.Join(r.form, " "), r.words}, errors.Join(r.errs...)
}

type reader struct {
	form   []string
	words  []word
	before []string // nil outside of a command's words
	errs   []error
}

func (r *reader) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *syntax.CallExpr:
		r.form = append(r.form, "call", strconv.Itoa(len(n.Args)))
		for _, a := range n.Assigns {
			syntax.Walk(a, r.visit)
		}
		outer := r.before
		r.before = []string{}
		for _, w := range n.Args {
			syntax.Walk(w, r.visit)
		}
		r.before = outer
		return false
	case *syntax.Word:
		value, special, static := literal(n.Parts)
		if special != "" {
			r.form = append(r.form, "expands", special)
		}
		if static {
			r.form = append(r.form, "word")
			w := word{value: value, before: append([]string{}, r.before...)}
			for _, b := range r.before {
				w.guarded = w.guarded || b == "--"
			}
			for i, part := range n.Parts {
				l, is := part.(*syntax.Lit)
				if is && strings.HasSuffix(l.Value, "$") && i+1 < len(n.Parts) {
					_, quoted := n.Parts[i+1].(*syntax.SglQuoted)
					w.unknown = w.unknown || quoted
				}
			}
			r.words = append(r.words, w)
		} else {
			value = ""
		}
		if r.before != nil {
			r.before = append(r.before, value)
		}
		return !static
	case *syntax.Stmt:
		r.form = append(r.form, fmt.Sprintf("statement background=%v negated=%v", n.Background, n.Negated))
	case *syntax.Redirect:
		r.form = append(r.form, "redirect", n.Op.String())
	case *syntax.BinaryCmd:
		r.form = append(r.form, n.Op.String())
	case *syntax.ParamExp:
		r.form = append(r.form, "parameter", n.Param.Value)
	default:
		r.form = append(r.form, strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax."))
	}
	return true
}

// literal is the text of a word if a shell takes it as it stands; special are the
// characters without quotes for which it may make other words of it.
func literal(parts []syntax.WordPart) (value, special string, static bool) {
	var b strings.Builder
	static = true
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			for j := 0; j < len(p.Value); j++ {
				c := p.Value[j]
				switch {
				case c == '\\' && j+1 < len(p.Value):
					j++
					c = p.Value[j]
				case strings.IndexByte("*?[{", c) >= 0, c == '~' && i+j == 0, c == '=' && i+j == 0:
					special += string(c)
				}
				b.WriteByte(c)
			}
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text, static = octal(text), static && strings.IndexByte(octal(text), 0) < 0
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				l, is := inner.(*syntax.Lit)
				if !is {
					static = false
					continue
				}
				for j := 0; j < len(l.Value); j++ {
					if l.Value[j] == '\\' && j+1 < len(l.Value) && strings.IndexByte("$`\"\\", l.Value[j+1]) >= 0 {
						j++
					}
					b.WriteByte(l.Value[j])
				}
			}
		default:
			static = false
		}
	}
	return b.String(), special, static
}

// octal decodes \ooo, which is all that package shell writes into $'...'.
func octal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
