package redact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// form is how secrets are written in text, whatever program it is for.
type form struct {
	what    string
	needs   []string       // text of this form holds one of these; spares the expression for most text
	find    *regexp.Regexp // of text in which ASCII letters are as they came
	replace string         // as regexp.ReplaceAllString takes it
}

// issuers are parts of the tokens of those who mark theirs.
var issuers = []string{"gh", "github_pat_", "glpat-", "xox", "xapp-", "sk-", "k_live_", "AKIA", "ASIA", "AIza", "npm_", "pypi-", "hvs.", "dop_v1_", "SG.", "ya29.", "shpat_",
	"whsec_", "dckr_pat_", "glrt-", "gldt-", "hvb.", "rubygems_", "sq0", "tskey-", "lin_api_", "figd_", "sbp_", "NRAK-", "SWMTKN-1-", "AGE-SECRET-KEY-1", "dapi", ".atlasv1."}

// forms are tried in this order. Pairs of a name and a value are not among
// them: see pairs.
var forms = []form{
	{"private key", []string{"-- BEGIN", "--BEGIN"},
		regexp.MustCompile(`(----[- ]BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*[- ]----)(?s:.*?)(----[- ]END [A-Z0-9 ]*[- ]----|$)`), "${1}" + Mask},
	{"private key of PuTTY", []string{"Private-Lines:"}, regexp.MustCompile(`(Private-Lines:)(?s:.*)`), "${1}" + Mask},
	{"JSON web token", []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*(\.[A-Za-z0-9_-]*)*`), Mask},
	{"token that tells its issuer", issuers, regexp.MustCompile(`\b(gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|sk-|[sr]k_live_|AKIA|ASIA|AIza|npm_|pypi-|hvs\.|dop_v1_|SG\.|ya29\.|shpat_|whsec_|dckr_pat_|gl[rd]t-|hvb\.|rubygems_|sq0[a-z]{3}-|tskey-|lin_api_|figd_|sbp_|NRAK-|SWMTKN-1-|AGE-SECRET-KEY-1|dapi[0-9a-f]{4}|[A-Za-z0-9]+\.atlasv1\.)[A-Za-z0-9_.-]{12,}`), Mask},
	{"header", []string{": ", ":\"", ":\t", "uthorization:", "UTHORIZATION:", "ookie:", "OOKIE:"}, regexp.MustCompile(`(?i)((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]*(?:key|token|auth|secret))(\\?["']?\s*:\s*)(\\?["']?)[^\r\n"'\\]+`), "${1}${2}${3}" + Mask},
	{"header in a variable", []string{"uthorization", "UTHORIZATION"},
		regexp.MustCompile(`(?i)(authorization["']?\s*=>?\s*["']?)(?:basic|digest|negotiate|token|apikey)\s[^\r\n"'\\]+`), "${1}" + Mask},
	{"bearer", []string{"earer", "EARER"}, regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"'\\]{6,}`), "${1}" + Mask},
	{"token for a user in a URL", []string{"@"}, regexp.MustCompile(`(?i)\b(https?://)[^\s/?#"'@:]+@`), "${1}" + Mask + "@"},
	{"password in a URL", []string{"@"}, regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://[^\s/?#"'@:]*:)(?:[^\s/?#"']*|[^\s"'/?#]*[^\s"'/?#0-9:][^\s"']*)@`), "${1}" + Mask + "@"},
	{"password in a data source name", []string{"@"}, regexp.MustCompile(`(^|[\s="',(])([\w.-]+:)[^\s"':@]+@([a-z0-9]*\()`), "${1}${2}" + Mask + "@${3}"},
	{"password in front of a host", []string{"@"}, regexp.MustCompile(`(^|[\s="',(])([\w.-]+:)([^\s"'/:@]+@[\w.\[-]+)`), ""},
	{"password of a data source name of Oracle", []string{"jdbc:oracle"}, regexp.MustCompile(`(jdbc:oracle:\w+:[^/\s@]+/)[^@\s]+@`), "${1}" + Mask + "@"},
	{"digest", []string{"response="}, regexp.MustCompile(`\b(response=\\?["']?)[^"'\\\s,]+`), "${1}" + Mask},
	{"address that is a secret", []string{"hooks.", "webhooks/", "/bot"},
		regexp.MustCompile(`(?i)(hooks\.slack\.com/\w+/|hooks\.zapier\.com/|/api/webhooks/|api\.telegram\.org/(?:file/)?bot)[^\s"'/]+(?:/[^\s"'/?]+)*`), "${1}" + Mask},
	{"statement that sets a password", []string{"dentified", "DENTIFIED", "password for", "PASSWORD FOR"},
		regexp.MustCompile(`(?i)(\bset\s+password\s+for\s+\S+\s*=\s*(?:password\()?\\?["']|identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?\\?["'])[^"']*`), "${1}" + Mask},
	{"password without a separator", []string{"pass", "PASS", "pw", "auth"},
		regexp.MustCompile(`(?i)((?:login\s+\S+\s+|\b)password\s+\\?["']|\blogin\s+\S+\s+password\s+|\b(?:requirepass|masterauth|rootpw|bindpw)\s+)[^\s"',;)]+`), "${1}" + Mask},
	{"third argument of a connect", []string{"onnect(", "PDO(", "onnect (", "mysqli("},
		regexp.MustCompile(`((?:onnect|PDO|mysqli)\s*\(\s*(?:"[^"]*"|'[^']*')\s*,\s*(?:"[^"]*"|'[^']*')\s*,\s*["'])[^"']*`), "${1}" + Mask},
	{"dialog", []string{"send ", "SecureString "}, regexp.MustCompile(`(?i)\b((?:send|ConvertTo-SecureString)\s+(?:-{1,2}\w*\s+)*\\?["'])[^"']*`), "${1}" + Mask},
	{"XML", []string{"</", "lt;/"},
		regexp.MustCompile(`(?i)((?:<|&lt;)(?:[\w.-]+:)?[\w.-]*(?:pass|pwd|secret|token)[\w.-]*(?:\s[^<>]*)?(?:>|&gt;))(?:<!\[CDATA\[(?s:.*?)\]\]>|[^<&]*)`), "${1}" + Mask},
	{"text of an element that an attribute names", []string{"</"},
		regexp.MustCompile(`(?i)(<[^<>]*\s(?:name|key|id)\s*=\s*["'][^"'<>]*(?:pass|pwd|secret|token)[^"'<>]*["'][^<>/]*>)[^<]+`), "${1}" + Mask},
	{"attribute of an element", []string{"value"},
		regexp.MustCompile(`(?i)(<[\w.:-]*(?:pass|pwd|secret|token)[\w.-]*\s[^<>]*?\bvalue\s*=\s*["'])[^"']*`), "${1}" + Mask},
}

// Text takes secrets out of text of any kind: what stands behind the names of
// secrets, in URLs and headers, and what tells by its look that it is one.
func Text(s string) string { return text(s, 0) }

// text is Text of what was encoded so many times.
func text(s string, depth int) string {
	for i := range forms {
		f := &forms[i]
		switch {
		case !slices.ContainsFunc(f.needs, func(part string) bool { return strings.Contains(s, part) }):
		case f.replace == "":
			s = f.find.ReplaceAllStringFunc(s, beforeHost)
		default:
			s = f.find.ReplaceAllString(s, f.replace)
		}
	}
	return encoded(objects(lists(pairs(s))), depth)
}

// beforeHost hides the password of user:password@host; an image:tag@sha256 is
// none.
func beforeHost(s string) string {
	at := strings.LastIndexByte(s, '@')
	if strings.HasPrefix(s[at+1:], "sha256") || strings.HasPrefix(s[at+1:], "sha512") {
		return s
	}
	return s[:strings.IndexByte(s, ':')+1] + Mask + s[at:]
}

// pairs hides the values of secret names: name=value, name: value, "name":"value",
// name => 'value', in configuration, queries of URLs, JSON, JDBC.
func pairs(s string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '=' && s[i] != ':' && (s[i] != ',' || !inCall(s[done:i])) {
			continue
		}
		name := nameBefore(s[done:i])
		if name == "" || !inQuery(s[:i], name) && !isSecret(name) && !isKeyVariable(name, s[i:]) {
			continue
		}
		from, to := valueAfter(s, i)
		if at := i - len(name) - 1; s[i] == '=' && at >= 0 && strings.HasSuffix(s[:i], name) && (s[at] == '"' || s[at] == '\'') && from == i+1 {
			// Quotes around both: "password=my secret".
			if to = strings.IndexByte(s[from:], s[at]); to < 0 {
				to = len(s)
			} else {
				to += from
			}
		}
		value := s[from:to]
		if isEmpty(value) || s[i] == ':' && from == i+1 && (strings.HasPrefix(value, "/") || isPort(value) && isHost(s[:i], name)) {
			continue
		}
		out.WriteString(s[done:from])
		out.WriteString(Mask)
		done, i = to, to-1
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// nameBefore is the name in front of a separator, without quotes and blanks.
func nameBefore(s string) string {
	s = strings.TrimRight(s, " \t\"'\\]")
	at := len(s)
	for at > 0 && inName(s[at-1]) {
		at--
	}
	return s[at:]
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.$[]%@", c) >= 0 || c >= 0x80
}

// valueAfter is where the value behind the separator at i begins and ends.
func valueAfter(s string, i int) (from, to int) {
	from = i + 1
	for from < len(s) && strings.IndexByte("=> \t", s[from]) >= 0 {
		from++
	}
	from, to, whole := below(s, from)
	if whole {
		return from, to
	}
	quote := from
	for quote < len(s) && s[quote] == '\\' {
		quote++
	}
	if quote < len(s) && (s[quote] == '"' || s[quote] == '\'') {
		from, to = quote+1, quotedEnd(s, quote, s[from:quote])
		// What the shell and C join: "pass"word.
		for to+1 < len(s) && quote == i+1 && s[i] == '=' && strings.IndexByte(" \t\r\n,;&|)}]<>/", s[to+1]) < 0 && s[to+1] != s[quote] {
			if end := to + 1; s[end] == '"' || s[end] == '\'' {
				to = quotedEnd(s, end, "")
			} else {
				_, to = bareEnd(s, i, end)
				break
			}
		}
		return from, to
	}
	if end := bracketEnd(s, from); end > from {
		return from, end
	}
	return bareEnd(s, i, from)
}

// quotedEnd is where a text ends whose first quote, behind some backslashes, is at
// an index.
func quotedEnd(s string, at int, backslashes string) int {
	end := backslashes + s[at:at+1]
	for to := at + 1; to < len(s); to++ {
		switch {
		case strings.HasPrefix(s[to:], end):
			return to
		case s[to] == '\\' && backslashes == "":
			to++
		}
	}
	return len(s)
}

// bareEnd is where a value without quotes ends that began at an index, and the
// separator before it is at i.
func bareEnd(s string, i, from int) (begin, to int) {
	for to = from; to < len(s); to++ {
		switch s[to] {
		case '\\':
			if to+1 < len(s) && s[to+1] == ' ' {
				to++
			}
		case ' ', '\t', '\r', '\n', '"', '\'', '<', '>':
			return from, to
		case '}', ']':
			if isJSONNumber(s, i, from, to) {
				return from, to
			}
		case '&', ';', ',', '|':
			if another(s[to+1:]) || isJSONNumber(s, i, from, to) && strings.HasPrefix(strings.TrimLeft(s[to+1:], " \t\n\\"), `"`) {
				return from, to
			}
		}
	}
	return from, to
}

// isJSONNumber says whether a value behind the separator at i is a number of JSON.
func isJSONNumber(s string, i, from, to int) bool {
	return s[i] == ':' && to > from && strings.TrimLeft(s[from:to], "-.0123456789") == ""
}

// another says whether a name and its separator begin here: a secret may hold
// what parts pairs.
func another(s string) bool {
	n := 0
	for n < len(s) && (inName(s[n]) || s[n] == ' ') {
		n++
	}
	return n > 0 && n < len(s) && (s[n] == '=' || s[n] == ':')
}

// isPort says whether a value can be the port of a host.
func isPort(value string) bool {
	digits := len(value) - len(strings.TrimLeft(value, "0123456789"))
	port, err := strconv.ParseUint(value[:digits], 10, 16)
	return err == nil && port > 0 && value[0] != '0' && (digits == len(value) || strings.IndexByte("/,)", value[digits]) >= 0)
}

// notHosts are parts of names that nobody gives to a host.
var notHosts = []string{"pass", "pwd", "pin", "otp", "pw", "credential", "authorization", "cookie"}

// isHost says whether the name that ends some text can be that of a host in front
// of its port, and no key of JSON, YAML or a header: token-service:8080.
func isHost(before, name string) bool {
	if !strings.HasSuffix(before, name) || strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "-") || strings.LastIndexByte(before, '{') > strings.LastIndexByte(before, '}') {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return !slices.ContainsFunc(notHosts, func(part string) bool { return strings.Contains(name, part) })
}
