package redact

import (
	"slices"
	"strings"
)

// maskScript hides the secrets of commands in one argument, as sh -c has them.
func maskScript(script string) string {
	var out strings.Builder
	m := masker{shell: true}
	for rest := script; rest != ""; {
		blanks := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
		out.WriteString(rest[:blanks])
		rest = rest[blanks:]
		n := wordLength(rest)
		word := rest[:n]
		rest = rest[n:]
		quoted := word != "" && (word[0] == '"' || word[0] == '\'')
		hidden := m.all || m.hide != plain
		inner := strings.Trim(word, `"'`)
		switch bare := strings.Trim(inner, ";|&()"); {
		case word == "":
		case quoted && !hidden && !m.sql && !m.takesSQL(word) && strings.ContainsAny(inner, " \t\n"):
			begin, text, end := unquote(word)
			out.WriteString(begin + maskScript(text) + end)
		case bare == "":
			m = masker{shell: true}
			out.WriteString(word)
		case !hidden && !strings.HasPrefix(bare, "-") && programsOf(bare) != nil:
			m.meet(bare)
			out.WriteString(word)
		case !hidden && slices.Contains(writers, bare):
			m.meet(bare)
			m.all = feedsSecret(rest)
			out.WriteString(word)
		default:
			m.meet(bare)
			out.WriteString(m.argument(word))
		}
		if strings.HasSuffix(word, ";") {
			m = masker{shell: true}
		}
	}
	return out.String()
}

// writers write their arguments to their standard output.
var writers = []string{"echo", "printf", "print"}

// stdinWords make a program read a secret from its standard input, or are one
// that does; passwd is also a verb of others.
var stdinWords = []string{"passwd", "--password-stdin", "--stdin", "--pass-stdin", "--passphrase-fd"}

// feedsSecret says whether the rest of a script pipes something into a program
// that reads secrets: echo joe:SECRET | sudo chpasswd. What is written may belong
// to another pipeline than the one that is found: better that is hidden as well.
func feedsSecret(rest string) bool {
	piped, sudo := false, false
	for rest != "" {
		rest = strings.TrimLeft(rest, " \t\n")
		n := wordLength(rest)
		word := rest[:n]
		rest = rest[n:]
		bare := word[strings.LastIndexAny(word, `"'`)+1:] // what stands in quotes is text
		if bare == "&&" || bare == "||" {
			piped, sudo = false, false
			continue
		}
		if at := strings.LastIndexByte(bare, '|'); at >= 0 {
			piped, sudo = true, false
			bare = bare[at+1:]
		}
		ends := strings.HasSuffix(bare, ";")
		bare = strings.Trim(bare, ";&()")
		sudo = sudo || bare == "sudo"
		if piped && (slices.ContainsFunc(programsOf(bare), func(p *program) bool { return p.stdin }) || slices.Contains(stdinWords, bare) || sudo && strings.HasPrefix(bare, "-") && strings.HasSuffix(bare, "S")) {
			return true
		}
		if ends {
			piped = false
		}
	}
	return false
}

// wordLength is how long the first word of a script is: up to a blank that is
// not in quotes.
func wordLength(script string) int {
	quote := byte(0)
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ' ' || c == '\t' || c == '\n':
			return i
		}
	}
	return len(script)
}
