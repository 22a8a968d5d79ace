package shell

import (
	"fmt"
	"math"
	"strings"
)

// language is what a format is written in.
type language int

const (
	posix   language = iota // a shell
	sql                     // of MySQL
	display                 // filters of Wireshark
	nft                     // rules of nft
	cel                     // expressions of rtrail's --filter
	words                   // sentences that hold commands
)

func (l language) String() string {
	return [...]string{"a command", "SQL", "a display filter", "rules of nft", "an expression", "a sentence"}[l]
}

// inserter is an argument that knows how it stands in each language.
type inserter interface {
	insert(into language) (text string, ok bool)
}

func misused(what string, into language) {
	panic(fmt.Sprintf("shell: %s has no place in %v", what, into))
}

// formatter fills a format.
type formatter struct {
	into    language
	out     strings.Builder
	quote   byte // open at this place of the format
	guarded bool // "--" stood before, so that words are no options
	refused bool
}

// format panics where a format and its arguments do not fit: that is a mistake in
// the source, which a test finds.
func (f *formatter) format(format string, args []any) {
	for i := 0; i < len(format); {
		if format[i] != '%' {
			i = f.constant(format, i)
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("0123456789.", format[end]) >= 0 {
			end++
		}
		if end == len(format) {
			panic(fmt.Sprintf("shell: %q ends in a verb without a letter", format))
		}
		verb := format[i : end+1]
		i = end + 1
		if verb == "%%" {
			f.out.WriteByte('%')
			continue
		}
		if len(args) == 0 {
			panic(fmt.Sprintf("shell: %q lacks arguments", format))
		}
		text := f.argument(verb, args[0])
		args = args[1:]
		if text == "" && i < len(format) && format[i] == ' ' && f.wordBegins() {
			i++ // an empty command takes its blank along
		}
		f.out.WriteString(text)
	}
	if len(args) > 0 {
		panic(fmt.Sprintf("shell: %q has no place for %v", format, args))
	}
}

// constant copies a byte of the format, and what belongs to it.
func (f *formatter) constant(format string, i int) int {
	c := format[i]
	n := 1
	switch {
	case f.into == words: // apostrophes are no quotes
	case f.quote != 0:
		if c == f.quote {
			f.quote = 0
		} else if c == '\\' && f.quote == '"' {
			n = 2
		}
	case c == '\'' || c == '"' || c == '`':
		f.quote = c
	case f.into != posix:
	case c == '\\':
		n = 2
	case strings.IndexByte(";|&\n", c) >= 0:
		f.guarded = false
	case c == '-' && f.wordBegins() && (format[i:] == "--" || strings.HasPrefix(format[i:], "-- ")):
		f.guarded = true
	}
	n = min(n, len(format)-i)
	f.out.WriteString(format[i : i+n])
	return i + n
}

// wordBegins says that what is written next begins a word.
func (f *formatter) wordBegins() bool {
	s := f.out.String()
	return s == "" || strings.IndexByte(" \n", s[len(s)-1]) >= 0
}

// argument is the text of an argument, in the language at hand.
func (f *formatter) argument(verb string, arg any) string {
	text, ok := f.value(verb, arg)
	if !ok {
		f.refused = true
		return ""
	}
	return text
}

func (f *formatter) value(verb string, arg any) (string, bool) {
	switch verb[len(verb)-1] {
	case 'd':
		switch arg.(type) {
		case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
			return fmt.Sprintf(verb, arg), true
		}
	case 'f':
		if n, is := arg.(float64); is {
			return fmt.Sprintf(verb, n), !math.IsNaN(n) && !math.IsInf(n, 0)
		}
	case 's':
		return f.text(arg)
	}
	panic(fmt.Sprintf("shell: %s is no verb for %T", verb, arg))
}

func (f *formatter) text(arg any) (string, bool) {
	if f.quote != 0 {
		panic(fmt.Sprintf("shell: %v stands within quotes of %q", arg, f.out.String()))
	}
	var text string
	switch a := arg.(type) {
	case inserter:
		return a.insert(f.into)
	case string:
		text = a
	case fmt.Stringer:
		text = a.String()
	default:
		panic(fmt.Sprintf("shell: %%s is no verb for %T", arg))
	}
	switch f.into {
	case sql:
		return sqlString(text)
	case display:
		return displayString(text)
	case nft:
		return nftString(text)
	case cel:
		return celString(text), true
	}
	if f.into == posix && strings.HasPrefix(text, "-") && !f.guarded && f.wordBegins() {
		return "", false
	}
	return quote(text)
}
