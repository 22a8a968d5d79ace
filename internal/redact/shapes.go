package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What follows finds secrets that do not simply stand behind their name: on the
// lines below, in lists, in objects of a name and a value, in the encoding of URLs.

// lineEnds matches what is left of a line whose value is on the next ones, as YAML
// has it.
var lineEnds = regexp.MustCompile(`^(?:\|[-+0-9]{0,2}|-)?[ \t\r]*\n`)

// below finds the value on the lines below a name: all that are indented as the
// first one is. at is behind the separator; whole is false if only the beginning of
// the value was found.
func below(s string, at int) (from, to int, whole bool) {
	end := lineEnds.FindStringIndex(s[at:])
	if end == nil {
		return at, at, false
	}
	lineOf := s[strings.LastIndexByte(s[:at], '\n')+1:]
	own := len(lineOf) - len(strings.TrimLeft(lineOf, " \t"))
	rest := strings.TrimLeft(s[at+end[1]:], "\r\n")
	start := len(s) - len(rest)
	indent := indentation(rest)
	from = start + indent
	items := strings.HasPrefix(rest[indent:], "- ")
	switch {
	case items:
	case indent > own:
	case another(rest[indent:]):
		return at, at, true // the next name: there is no value
	default:
		return from, from, false
	}
	to = start
	for line := range strings.Lines(rest) {
		n := indentation(line)
		if strings.TrimSpace(line) != "" && (n < indent || items && n == indent && line[n] != '-') {
			break
		}
		to += len(line)
	}
	return from, from + len(strings.TrimRight(s[from:to], " \t\r\n")), true
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// closing are the ends of values in brackets.
var closing = map[byte]byte{'[': ']', '{': '}', '(': ')', '<': '>'}

// bracketEnd is where a value in brackets, or the output of a command, ends; from
// if there is none. What is not closed goes to the end of the text.
func bracketEnd(s string, from int) int {
	at := from
	if strings.HasPrefix(s[at:], "$(") {
		at++
	}
	if at >= len(s) {
		return from
	}
	if s[at] == '`' {
		if n := strings.IndexByte(s[at+1:], '`'); n >= 0 {
			return at + n + 2
		}
		return len(s)
	}
	open, end := s[at], closing[s[at]]
	if end == 0 || strings.HasPrefix(strings.TrimLeft(s[at+1:], " \t\r\n"), string(end)) {
		return from
	}
	depth := 0
	for ; at < len(s); at++ {
		switch s[at] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(s)
}

const quoted = `"(?:[^"\\]|\\.)*"|'[^']*'`

var (
	list    = regexp.MustCompile(`\[\s*(?:` + quoted + `)(?:\s*,\s*(?:` + quoted + `))+`)
	element = regexp.MustCompile(quoted)
)

// lists hides secrets in command lines that are written as lists of JSON:
// ["mysql","-pSECRET"].
func lists(s string) string {
	if !strings.Contains(s, "[") {
		return s
	}
	return list.ReplaceAllStringFunc(s, func(whole string) string {
		var m masker
		return element.ReplaceAllStringFunc(whole, func(e string) string {
			arg := e[1 : len(e)-1]
			m.meet(arg)
			return e[:1] + m.argument(arg) + e[:1]
		})
	})
}

const (
	separated = `\\?["']?\s*[:=]\s*`
	someName  = `\\?["']?([\w.-]+)\\?["']?`
	someValue = `(\\"[^"\\]*\\"|` + quoted + `|[^\s"',;}<>&\\]+)`
	between   = `[\s,;&]*\\?["']?`
)

var (
	nameFirst  = regexp.MustCompile(`(?i)(\b(?:name|key)` + separated + `)` + someName + `(` + between + `\bvalue` + separated + `)` + someValue)
	valueFirst = regexp.MustCompile(`(?i)(\bvalue` + separated + `)` + someValue + `(` + between + `\b(?:name|key)` + separated + `)` + someName)
)

// objects hides the values of objects of a name and a value: {"name":"DB_PASSWORD",
// "value":"SECRET"}, in JSON, YAML, XML and options of programs.
func objects(s string) string {
	if !strings.Contains(s, "alue") && !strings.Contains(s, "ALUE") {
		return s
	}
	s = object(s, nameFirst, 2, 4)
	return object(s, valueFirst, 4, 2)
}

// object hides one group of an expression if another is the name of a secret.
func object(s string, find *regexp.Regexp, name, value int) string {
	var out strings.Builder
	done := 0
	for _, at := range find.FindAllStringSubmatchIndex(s, -1) {
		from, to := at[2*value], at[2*value+1]
		if !isSecret(s[at[2*name]:at[2*name+1]]) {
			continue
		}
		from, to = withoutQuotes(s, from, to)
		if from >= to || isEmpty(s[from:to]) {
			continue
		}
		out.WriteString(s[done:from] + Mask)
		done = to
	}
	return out.String() + s[done:]
}

// withoutQuotes leaves the quotes around a value out, if both are there.
func withoutQuotes(s string, from, to int) (int, int) {
	for _, q := range []string{`\"`, `"`, `'`} {
		if v := s[from:to]; len(v) >= 2*len(q) && strings.HasPrefix(v, q) && strings.HasSuffix(v, q) {
			return from + len(q), to - len(q)
		}
	}
	return from, to
}

// part is a piece of a URL with something encoded in it.
var part = regexp.MustCompile(`[^\s"'<>&?=#;|/\\]*%[0-9A-Fa-f]{2}[^\s"'<>&?=#;|\\]*`)

// maxEncodings bounds how often text is encoded within itself. Every level of a
// redirection adds one.
const maxEncodings = 3

// encoded hides secrets in what is percent-encoded.
func encoded(s string, depth int) string {
	if depth >= maxEncodings || !strings.Contains(s, "%") {
		return s
	}
	return part.ReplaceAllStringFunc(s, func(p string) string {
		clear := decoded(p)
		masked := text(clear, depth+1)
		if masked == clear {
			return p
		}
		return strings.ReplaceAll(url.QueryEscape(masked), url.QueryEscape(Mask), Mask)
	})
}

// decoded takes percent-encoding off. A percent sign that encodes nothing stays.
func decoded(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			out = append(out, byte(b))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// queryNames are those of secrets in the query of a URL, and of anything elsewhere.
var queryNames = []string{"key", "code", "sid", "assertion", "client_assertion", "samlresponse", "samlrequest", "ticket"}

// inQuery says whether the name that ends some text is one of them.
func inQuery(before, name string) bool {
	at := len(before) - len(name) - 1
	return at >= 0 && (before[at] == '?' || before[at] == '&') && slices.Contains(queryNames, strings.ToLower(name))
}

// openKeys are the words in front of KEY that make a variable no secret.
var openKeys = []string{"PUBLIC", "PUB", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "CACHE", "HOST", "INDEX", "HASH", "ROW", "OBJECT", "GROUP", "ROUTING"}

// isKeyVariable says whether a name and what follows it are a variable with a key,
// as STRIPE_KEY=..., and not the place of one.
func isKeyVariable(name, rest string) bool {
	before, ok := strings.CutSuffix(name, "_KEY")
	if !ok || before == "" || name != strings.ToUpper(name) || len(rest) < 2 || rest[0] != '=' || strings.ContainsRune("/.~$", rune(rest[1])) {
		return false
	}
	return !slices.Contains(openKeys, before[strings.LastIndexByte(before, '_')+1:])
}

// inCall says whether what stands in front of a comma is the name of an option or
// of an argument, with its value behind: [--password, SECRET], ("password", "SECRET").
func inCall(before string) bool {
	before = strings.TrimRight(before, " \t\"'\\")
	name := strings.TrimLeft(nameBefore(before), "[")
	if name == "" {
		return false
	}
	return name[0] == '-' || strings.HasSuffix(strings.TrimRight(before[:len(before)-len(name)], "\"'\\"), "(")
}
