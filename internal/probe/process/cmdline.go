package process

import (
	"bytes"
	"strings"
)

// maxCmdline is how much of a command line is kept. Longer ones are those of
// Java programs; their beginning names them.
const maxCmdline = 256

// masked stands for a secret.
const masked = "***"

// secretNames are parts of option and variable names whose value is never
// kept, lower case.
var secretNames = []string{"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api-key", "api_key", "access-key", "access_key", "credential", "private-key", "private_key"}

// Cmdline turns the content of /proc/PID/cmdline into one line without
// secrets: it ends up in recordings that people send around.
func Cmdline(b []byte) string {
	b = bytes.TrimRight(b, "\x00")
	if len(b) == 0 {
		return ""
	}
	// What lies far behind the cut need not be split.
	args := strings.Split(string(b[:min(len(b), 8*maxCmdline)]), "\x00")
	if len(args) == 1 {
		// A title set by the program itself has blanks instead of zero bytes.
		args = strings.Split(args[0], " ")
	}
	m := masker{program: programOf(args[0])}
	var out strings.Builder
	for i, arg := range args {
		switch {
		case i == 0:
			out.WriteString(maskURL(arg))
		case !m.hide && !m.takesSQL(arg) && !holdsSecret(arg) && strings.ContainsAny(arg, " \t\n"):
			out.WriteByte(' ')
			out.WriteString(maskScript(arg))
		default:
			out.WriteByte(' ')
			out.WriteString(m.argument(arg))
		}
		if out.Len() > maxCmdline {
			break
		}
	}
	line := strings.ToValidUTF8(strings.Map(printable, out.String()), "?")
	if len(line) > maxCmdline {
		const cut = "…"
		line = strings.ToValidUTF8(line[:maxCmdline-len(cut)], "") + cut
	}
	return line
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// holdsSecret says that an argument is an option with its secret, which may have
// blanks: it is no script.
func holdsSecret(arg string) bool {
	name, _, ok := strings.Cut(arg, "=")
	return ok && strings.HasPrefix(arg, "-") && !strings.ContainsAny(name, " '\"") && isSecret(name)
}

// masker hides what is secret in the arguments of one program.
type masker struct {
	program
	shell bool // the arguments are words of a script, with their quotes
	hide  bool // the value of a secret option follows
	sql   bool // the value of an option that takes SQL follows
}

// argument hides what looks like a secret in the next argument.
func (m *masker) argument(arg string) string {
	hide, sql := m.hide, m.sql
	m.hide, m.sql = false, false
	isOption := strings.HasPrefix(arg, "-")
	if hide && !isOption {
		return masked
	}
	if m.program != other && len(arg) > 2 && strings.HasPrefix(arg, "-p") && arg[2] != '=' {
		return "-p" + masked
	}
	name, _, valued := strings.Cut(arg, "=")
	plain := !strings.ContainsAny(name, " '\"") && !strings.Contains(name, "://")
	if valued && plain && isSecret(name) {
		return name + "=" + masked
	}
	m.sql = isOption && m.isSQLOption(arg)
	if m.sql {
		return arg
	}
	if sql && !isOption || m.takesSQL(arg) {
		return m.maskSQL(arg)
	}
	if isOption && !valued && isSecret(arg) {
		m.hide = true
		return arg
	}
	return maskURL(arg)
}

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
		inner := strings.Trim(word, `"'`)
		switch bare := strings.Trim(inner, ";|&()"); {
		case word == "":
		case quoted && !m.hide && !m.sql && !m.takesSQL(word) && strings.ContainsAny(inner, " \t\n"):
			begin, text, end := unquote(word)
			out.WriteString(begin + maskScript(text) + end)
		case bare == "":
			m = masker{shell: true}
			out.WriteString(word)
		case programOf(bare) != other:
			m.program = programOf(bare)
			out.WriteString(word)
		default:
			out.WriteString(m.argument(word))
		}
		if strings.HasSuffix(word, ";") {
			m = masker{shell: true}
		}
	}
	return out.String()
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

func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretNames {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// maskURL hides the password in scheme://user:password@host, and values of
// secret names in what follows a question mark.
func maskURL(arg string) string {
	if scheme := strings.Index(arg, "://"); scheme >= 0 {
		rest := arg[scheme+3:]
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			if colon := strings.IndexByte(rest[:at], ':'); colon >= 0 {
				arg = arg[:scheme+3] + rest[:colon+1] + masked + rest[at:]
			}
		}
	}
	before, query, ok := strings.Cut(arg, "?")
	if !ok {
		return arg
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if name, _, ok := strings.Cut(part, "="); ok && isSecret(name) {
			parts[i] = name + "=" + masked
		}
	}
	return before + "?" + strings.Join(parts, "&")
}
