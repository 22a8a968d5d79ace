package redact

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/protocol"
)

// Message takes literals out of the text of an error that a server sent, so that
// its kind stays readable: Duplicate entry '?' for key 'users.email'. Names of
// tables, columns, keys, users and hosts stay. code is the error's, as
// the decoder of the protocol gives it.
func Message(name, code, text string) string {
	if text == "" {
		return ""
	}
	t := protocol.Of(name)
	switch {
	case t.Messages == protocol.Words, t.Raises(code):
		return known(unquoted(text))
	case t.Messages == protocol.Documents:
		return Text(unquoted(unbraced(text)))
	}
	return Text(unquoted(text))
}

// unbraced takes out what a message of MongoDB shows of a document: of a key that is
// there already, dup key: { email: "bob@example.com" }.
func unbraced(s string) string {
	from, to := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	switch {
	case from < 0:
		return s
	case to < from:
		return s[:from+1] + "?"
	}
	return s[:from+1] + "?" + s[to:]
}

// tails end a message behind a value that it quotes. What stands in their
// quotes is a name.
var tails = regexp.MustCompile("['\"] for (?:key|column) (?:'[\\w.$-]+'|`[^'\"]+`|\\d+)(?: at row \\d+)?[.]?(?:, Error_code: \\d+(?:; handler error \\w+)?)?$")

// clauses is what error messages of MySQL call the parts of a statement.
var clauses = []string{"where clause", "field list", "on clause", "order clause", "group statement", "having clause", "having", "IN/ALL/ANY subquery"}

// nouns stand in front of a quoted name.
var nouns = set(`table column relation database schema index key field function procedure trigger view constraint variable parameter statement
	cursor extension sequence language tablespace reference user role host engine charset collation plugin component command encoding partition
	server channel event savepoint type operator aggregate domain file for` /* command, as in "wrong number of arguments for 'get' command" */)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[strings.ToLower(word)] = true
	}
	return m
}

// unquoted replaces what a message quotes by ?. Servers do not escape quotes in
// the values they quote: all from the first value's quote to the last quote is
// taken for values, but for a tail that servers write.
func unquoted(s string) string {
	var out strings.Builder
	rest := s
	for {
		at := openQuote(rest)
		if at < 0 {
			break
		}
		quote := rest[at]
		if end := strings.IndexByte(rest[at+1:], quote); end >= 0 && isName(rest[:at], rest[at+1:at+1+end]) {
			out.WriteString(rest[:at+end+2])
			rest = rest[at+end+2:]
			continue
		}
		out.WriteString(rest[:at])
		out.WriteByte(quote)
		out.WriteByte('?')
		value := rest[at+1:]
		if tail := tails.FindString(value); tail != "" {
			out.WriteString(tail)
			return out.String()
		}
		rest = ""
		if last := lastQuote(value); last >= 0 {
			out.WriteByte(value[last])
			rest = value[last+1:]
		}
		break
	}
	out.WriteString(assigned(rest))
	return out.String()
}

// assigned hides the value of PostgreSQL's Key (email)=(bob@example.com).
func assigned(s string) string {
	if before, after, ok := strings.Cut(s, ")=("); ok {
		if last := strings.LastIndexByte(after, ')'); last >= 0 {
			return before + ")=(?" + after[last:]
		}
		return before + ")=(?"
	}
	return s
}

// openQuote is where a quote begins; an apostrophe within a word is none.
func openQuote(s string) int {
	for i := 0; i < len(s); i++ {
		if (s[i] == '\'' || s[i] == '"') && (i == 0 || !inWord(s[i-1])) {
			return i
		}
	}
	return -1
}

// lastQuote is the last quote that is no apostrophe.
func lastQuote(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if (s[i] == '\'' || s[i] == '"') && (i+1 == len(s) || !inWord(s[i+1])) {
			return i
		}
	}
	return -1
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// isName says whether what a message quotes is a name, by the word in front of it.
func isName(before, quoted string) bool {
	before = strings.TrimRight(before, " ")
	if strings.HasSuffix(before, "@") { // 'user'@'host'
		return len(quoted) <= 255 && !strings.ContainsAny(quoted, " '\"")
	}
	word := strings.ToLower(before[strings.LastIndexByte(before, ' ')+1:])
	if word == "in" {
		return slices.Contains(clauses, quoted)
	}
	if !nouns[word] || len(quoted) > 200 {
		return false
	}
	return !strings.ContainsFunc(quoted, func(r rune) bool {
		return r < 0x80 && !inWord(byte(r)) && !strings.ContainsRune("_$.-%*", r)
	})
}

// known keeps the words of a text that servers' messages are made of, and puts ?
// in place of all others: a status line or an error raised by a script may say
// anything.
func known(s string) string {
	var out []string
	for word := range strings.FieldsSeq(s) {
		bare := strings.ToLower(strings.Trim(word, ".,:;()!-'\"`[]"))
		switch {
		case bare == "" || bare == "?" || vocabulary[bare] || slot.MatchString(bare):
			out = append(out, word)
		case len(out) == 0 || out[len(out)-1] != "?":
			out = append(out, "?")
		}
	}
	return strings.Join(out, " ")
}

// slot is a part of a redirection of Redis: MOVED 3999 127.0.0.1:6381.
var slot = regexp.MustCompile(`^(\d{1,5}|[0-9a-f.:]{3,40}:\d{1,5})$`)

// vocabulary is what known keeps: the words of the status lines of HTTP and of
// the errors of Redis.
var vocabulary = makeVocabulary()

func makeVocabulary() map[string]bool {
	m := set(`a against an and are args as at be been beginning but by can cannot can't could current does doesn't done don't due error errors failed failure for from has have
		if in into is isn't it its long many may more must no not of off on one only open or other out please same should since so some still such
		supported than that the then this to too try type up use used user value was were when while will with within without would wrong yet you your
		access address again allowed already already-connected argument arguments auth authentication backend bad banned before being bigger bit blocked
		broken buffer buffers busy call called calls cannot cert certificate channel client clients closed cluster code command commands compiling
		config configuration configured connect connection consumer context control corrupted count creating currently data database dataset db
		deadlock decrement default denied deny destination directory disabled disk distance down empty enabled encountered exceeded exceeds exec
		executed executing execution exist existing exists expected expire expired fetch field file filter float flushed found function functions
		gateway get given group guru hash hold holding host id ids illegal increment index inside instance integer internal interrupted invalid
		key keys kill kind large last length less library limit limits line list load loading lock locked lua maintenance master max maximum maxmemory
		meditation memory message method min mode modified module moved multi name names near needed negative nested network never new node not_found
		null number object offset operation option options output overflow overload overloaded page parameter pass password path pattern perform
		permission permissions permitted persist port positive problem process protocol proxy query queue quota radius range rate read ready record
		redirect redis refused rejected release remote removed replica replicas replication reply request requested requests required reset resource
		response result retry returned right running save script scripts sdown select server service session set shard size slave slot slots small
		snapshot socket sorted source specified start started state status stop stopped storage store stream string subcommand successful syntax
		system table temporarily temporary terminated then throttled time timed timeout token transaction unable unavailable unbalanced unexpected
		unknown unlimited unsupported update uri url username-password valid variable version view violation wait waiting watch write written zero
		err moved ask wrongtype noauth noscript busykey oom readonly execabort clusterdown tryagain crossslot noperm misconf`)
	for code := 100; code < 600; code++ {
		for word := range set(http.StatusText(code)) {
			m[word] = true
		}
	}
	return m
}
