package shell

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"rtrail/internal/escape"
)

// Query is SQL for the mysql client.
type Query struct{ code }

// SQL makes a query. %s of a string is a string of SQL, of a Name a name; another
// Query stands as it is.
func SQL(format constant, args ...any) Query { return Query{written(sql, format, args)} }

func (q Query) insert(into language) (string, bool) { return q.code.insert(into, sql) }

// Filter is a display filter, as tshark's -Y takes it.
type Filter struct{ code }

// Display makes a display filter. %s of a string is an address if it is one, else
// a string; another Filter stands as it is.
func Display(format constant, args ...any) Filter { return Filter{written(display, format, args)} }

func (f Filter) insert(into language) (string, bool) { return f.code.insert(into, display) }

// Expression is what rtrail's --filter takes, in the Common Expression Language.
type Expression struct{ code }

// CEL makes an expression. %s of a string is a string; another Expression stands
// as it is.
func CEL(format constant, args ...any) Expression { return Expression{written(cel, format, args)} }

func (e Expression) insert(into language) (string, bool) { return e.code.insert(into, cel) }

// Ruleset is a piece of what nft reads.
type Ruleset struct{ code }

// Nft makes a piece for nft. %s of a string is a string, in double quotes that
// nft has no way to write within them.
func Nft(format constant, args ...any) Ruleset { return Ruleset{written(nft, format, args)} }

func (r Ruleset) insert(into language) (string, bool) { return r.code.insert(into, nft) }

// NftName is a table, a chain or a family in the words of the nft command, which
// joins them and reads them as rules: only names that it reads as names.
type NftName string

func (n NftName) insert(into language) (string, bool) {
	if into != posix && into != nft {
		misused("a name of nft", into)
	}
	return string(n), n != "" && !strings.ContainsFunc(string(n), notOfHost) && n[0] != '-' && (n[0] < '0' || n[0] > '9') && !strings.Contains(string(n), ":")
}

// Strings are strings in an expression, with commas between them.
type Strings []string

func (s Strings) insert(into language) (string, bool) {
	if into != cel {
		misused("a list of strings", into)
	}
	list := make([]string, len(s))
	for i, text := range s {
		list[i] = celString(text)
	}
	return strings.Join(list, ", "), true
}

// celString is a string as Go writes it, which the language of expressions reads.
func celString(s string) string { return strconv.Quote(s) }

// code is a text in another language than the shell's.
type code struct {
	text    string
	refused bool
}

func written(in language, format constant, args []any) code {
	f := formatter{into: in}
	f.format(string(format), args)
	return code{f.out.String(), f.refused}
}

// insert gives the code to a shell as one word, and to its own language as it is.
func (c code) insert(into, own language) (string, bool) {
	switch into {
	case own:
		return c.text, !c.refused
	case posix, words:
		word, ok := quote(c.text)
		return word, ok && !c.refused
	}
	misused(own.String(), into)
	return "", false
}

// Empty says that nothing was written.
func (c code) Empty() bool { return c.text == "" && !c.refused }

// String is the text itself; "" if it could not be written safely.
func (c code) String() string {
	if c.refused {
		return ""
	}
	return c.text
}

// Field is the name of a field in a display filter, as "ip.src".
type Field string

func (f Field) insert(into language) (string, bool) {
	if into != display {
		misused("a field of a display filter", into)
	}
	return string(f), f != "" && !strings.ContainsFunc(string(f), notOfHost)
}

// Address is an IP address, or a host's name: anything else makes the command
// none.
type Address string

func (a Address) insert(into language) (string, bool) {
	if _, err := netip.ParseAddr(string(a)); err != nil && (a == "" || strings.ContainsFunc(string(a), notOfHost) || a[0] == '-') {
		return "", false
	}
	if into == display {
		return displayString(string(a))
	}
	return quote(string(a))
}

func notOfHost(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-:", r))
}

// Name is a name in SQL: of a column, a table, an index. Parts of it are joined
// by dots, as in Name("shop.orders").
type Name string

func (n Name) insert(into language) (string, bool) {
	if into != sql {
		misused("a name of SQL", into)
	}
	parts := strings.Split(string(n), ".")
	for i, p := range parts {
		if p == "" || strings.IndexByte(p, 0) >= 0 || !utf8.ValidString(p) || strings.ContainsFunc(p, escape.Hidden) {
			return "", false
		}
		if strings.ContainsFunc(p, notOfName) || p[0] >= '0' && p[0] <= '9' {
			parts[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
		}
	}
	return strings.Join(parts, "."), true
}

// Statement is the text of a statement that somebody else wrote, to be explained:
// one that reads or changes rows, and nothing behind it. The mysql client takes
// what follows a backslash for a command of its own, also to run a shell.
type Statement string

func (s Statement) insert(into language) (string, bool) {
	if into != sql {
		misused("a statement", into)
	}
	text := string(s)
	verb, _, _ := strings.Cut(strings.TrimLeft(text, "( "), " ")
	switch strings.ToLower(verb) {
	case "select", "insert", "replace", "update", "delete", "with", "table":
	default:
		return "", false
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, escape.Hidden) {
		return "", false
	}
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			return "", false
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ';' || c == '#' || strings.HasPrefix(text[i:], "--") || strings.HasPrefix(text[i:], "/*"):
			return "", false
		}
	}
	return text, quote == 0
}

// Names are names in SQL, with commas between them.
type Names []string

func (n Names) insert(into language) (string, bool) {
	list := make([]string, len(n))
	for i, name := range n {
		text, ok := Name(name).insert(into)
		if !ok {
			return "", false
		}
		list[i] = text
	}
	return strings.Join(list, ", "), len(list) > 0
}

func notOfName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
}

// sqlString quotes for servers in any sql_mode: a doubled quote ends no string in
// any of them, and a doubled backslash is two where backslashes are plain.
func sqlString(s string) (string, bool) {
	if strings.IndexByte(s, 0) >= 0 {
		return "", false
	}
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(s) + "'", true
}

// nftString fails for what nft has no way to write: it knows no escapes.
func nftString(s string) (string, bool) {
	if s == "" || strings.ContainsAny(s, "\"\\") || !utf8.ValidString(s) || strings.ContainsFunc(s, escape.Hidden) {
		return "", false
	}
	return `"` + s + `"`, true
}

// displayString is an address as it is, and all else as a string of Wireshark's.
func displayString(s string) (string, bool) {
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return s, true
	}
	if strings.IndexByte(s, 0) >= 0 {
		return "", false
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, true
}
