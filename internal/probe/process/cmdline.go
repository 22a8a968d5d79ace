package process

import (
	"bytes"
	"slices"
	"strings"

	"rtrail/internal/packet/fingerprint"
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
	mysql := isMySQLClient(args[0])
	var out strings.Builder
	hide := false
	for i, arg := range args {
		if i > 0 {
			out.WriteByte(' ')
		}
		if statement, ok := maskStatement(arg); ok && i > 0 && !hide {
			out.WriteString(statement)
		} else if i > 0 && !hide && strings.ContainsAny(arg, " \t\n") {
			out.WriteString(maskScript(arg))
		} else {
			out.WriteString(maskArgument(arg, mysql, &hide))
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

func isMySQLClient(arg string) bool {
	name := arg[strings.LastIndexByte(arg, '/')+1:]
	return strings.HasPrefix(name, "mysql") || strings.HasPrefix(name, "mariadb") || name == "sysbench"
}

// maskArgument hides what looks like a secret. hide carries over to the next
// argument when this one is an option whose value follows.
func maskArgument(arg string, mysql bool, hide *bool) string {
	if *hide {
		*hide = false
		if !strings.HasPrefix(arg, "-") {
			return masked
		}
	}
	if mysql && len(arg) > 2 && strings.HasPrefix(arg, "-p") && arg[2] != '=' && !strings.HasPrefix(arg, "--") {
		return "-p" + masked
	}
	if name, _, ok := strings.Cut(arg, "="); ok && !strings.Contains(name, "://") && isSecret(name) {
		return name + "=" + masked
	}
	if strings.HasPrefix(arg, "-") && isSecret(arg) {
		*hide = true
		return arg
	}
	return maskURL(arg)
}

// verbs begin the statements whose literals are people's data.
var verbs = []string{"select", "insert", "update", "delete", "replace", "merge", "call", "alter", "create", "explain", "with"}

// maskStatement takes the literals out of a statement of SQL, as clients get it
// behind -e or --query=; false if the argument is none.
func maskStatement(arg string) (string, bool) {
	option, statement := "", arg
	if name, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(name, "-") && !strings.ContainsAny(name, " '\"") {
		option, statement = name+"=", value
	}
	first, rest, ok := strings.Cut(strings.TrimLeft(statement, " \t\n("), " ")
	if !ok || !slices.Contains(verbs, strings.ToLower(first)) || !strings.ContainsAny(rest, "'\"0123456789") {
		return "", false
	}
	return option + fingerprint.New().Of("mysql", "Query", []byte(statement), false), true
}

// maskScript hides the secrets of commands in one argument, as sh -c has them.
func maskScript(script string) string {
	var out strings.Builder
	mysql, hide := false, false
	for rest := script; rest != ""; {
		blanks := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
		out.WriteString(rest[:blanks])
		rest = rest[blanks:]
		n := wordLength(rest)
		word := rest[:n]
		rest = rest[n:]
		inner := strings.Trim(word, `"'`)
		switch bare := strings.Trim(inner, ";|&()"); {
		case word == "":
		case !hide && (word[0] == '"' || word[0] == '\'') && strings.ContainsAny(inner, " \t\n"):
			end := strings.LastIndexByte(word, word[0])
			if end == 0 {
				end = len(word) // the quote is not closed
			}
			hidden, ok := maskStatement(word[1:end])
			if !ok {
				hidden = maskScript(word[1:end])
			}
			out.WriteString(word[:1] + hidden + word[end:])
		case bare == "":
			mysql, hide = false, false
			out.WriteString(word)
		case isMySQLClient(bare):
			mysql = true
			out.WriteString(word)
		default:
			out.WriteString(maskArgument(word, mysql, &hide))
		}
		if strings.HasSuffix(word, ";") {
			mysql, hide = false, false
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
