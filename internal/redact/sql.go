package redact

import (
	"slices"
	"strings"

	"rtrail/internal/packet/fingerprint"
)

// verbs begin the statements that are known as such whatever program gets them.
// Those that begin commands of a shell too are not among them.
var verbs = []string{"select", "insert", "update", "delete", "replace", "merge", "call", "alter", "create", "explain", "with"}

// sqlOptions take SQL, or a condition, of whatever program: mysqldump and
// pt-archiver have --where.
var sqlOptions = []string{"--execute", "--where", "--init-command", "--init-connect", "--init_connect"}

// isSQLOption says whether the next argument is SQL.
func (m *masker) isSQLOption(arg string) bool {
	return slices.Contains(sqlOptions, arg) || m.client() && (arg == "-e" || arg == "-w")
}

// takesSQL says whether there is SQL in an argument.
func (m *masker) takesSQL(arg string) bool {
	option, value := m.split(arg)
	if m.sql && option == "" || slices.Contains(sqlOptions, strings.TrimSuffix(option, "=")) {
		return true
	}
	if m.client() && (option != "" && !strings.HasPrefix(option, "--") || strings.ContainsAny(value, "'\"") || strings.ContainsAny(value, " \t\n") && value[0] != '/') {
		return true
	}
	if m.shell {
		_, value, _ = unquote(value)
	}
	first, rest, ok := strings.Cut(strings.TrimLeft(value, " \t\n("), " ")
	return ok && slices.Contains(verbs, strings.ToLower(first)) && strings.ContainsAny(rest, "'\"0123456789")
}

// split parts an option from its value where both are one argument: --where=...,
// and of clients -e..., also behind other letters.
func (m *masker) split(arg string) (option, value string) {
	if name, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(name, "--") && !strings.ContainsAny(name, " '\"") {
		return name + "=", value
	}
	if !m.client() || !strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "--") {
		return "", arg
	}
	at := strings.IndexAny(arg, "ew")
	if at < 0 || at+1 == len(arg) || strings.ContainsAny(arg[:at], " '\"=/.") {
		return "", arg
	}
	// -uweb is a user, and so are the hosts of -h and the databases of -D.
	if strings.ContainsAny(arg[1:at], "uhDPS") {
		return "", arg
	}
	return arg[:at+1], arg[at+1:]
}

// maskSQL takes the literals out of the SQL in an argument.
func (m *masker) maskSQL(arg string) string {
	option, value := m.split(arg)
	if value == "" {
		return arg
	}
	begin, end := "", ""
	if m.shell {
		begin, value, end = unquote(value)
	}
	return option + begin + fingerprint.New().Of("mysql", "Query", []byte(value), false) + end
}

// unquote parts the quotes of a shell from the text between them; the last one
// may be missing.
func unquote(word string) (begin, text, end string) {
	if word == "" || word[0] != '"' && word[0] != '\'' {
		return "", word, ""
	}
	at := strings.LastIndexByte(word, word[0])
	if at == 0 {
		at = len(word)
	}
	return word[:1], word[1:at], word[at:]
}
