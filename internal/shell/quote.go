package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"rtrail/internal/escape"
)

// Quote makes one word of a POSIX shell of a string. Words that need none stay
// without quotes. What does not print, and so could do something to a terminal
// or cannot be seen, is written as octal in $'...', which bash, zsh, ksh, ash
// and POSIX of 2024 read; a shell that does not know it takes the word for
// another one, and runs nothing either.
func Quote(s string) string {
	word, _ := quote(s)
	return word
}

// quote fails for NUL, which no word can hold.
func quote(s string) (word string, ok bool) {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return "''", false
	case s == "":
		return "''", true
	case !utf8.ValidString(s) || strings.ContainsFunc(s, escape.Hidden):
		return escaped(s), true
	case plain(s):
		return s, true
	case strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\!"):
		return `"` + s + `"`, true // SQL reads better so
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", true
}

// plain says that no shell sees more than a word in a string. zsh expands words
// that begin with an equals sign.
func plain(s string) bool {
	return s[0] != '=' && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:=@%", r))
	})
}

// escaped writes all that may matter to any shell, quotes and backslashes
// included, as octal numbers: where $'...' is not known, '...' must not end early.
func escaped(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || escape.Hidden(r) || r == '\'' || r == '\\' || r == '!' {
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}
