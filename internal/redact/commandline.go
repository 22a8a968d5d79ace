package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// maxCmdline is how much of a command line is kept. Longer ones are those of
// Java programs; their beginning names them.
const maxCmdline = 256

// CommandLine turns the content of /proc/PID/cmdline into one line without
// secrets: it ends up in recordings that people send around.
func CommandLine(b []byte) string {
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
	var m masker
	var out strings.Builder
	for i, arg := range args {
		if i > 0 {
			out.WriteByte(' ')
		}
		m.meet(arg)
		switch {
		case i == 0:
			out.WriteString(Text(arg))
		case m.isScript(arg, args[i-1]):
			out.WriteString(maskScript(Text(arg)))
		default:
			out.WriteString(m.argument(arg))
		}
		if strings.Contains(arg, "-----BEGIN") && !strings.Contains(arg, "-----END") {
			m.all = true // a key that was split at its blanks
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

// masker hides what is secret in the arguments of a command.
type masker struct {
	programs []*program // that the command names so far: sudo, timeout and ssh start others
	words    []string   // that stood in it without a dash
	shell    bool       // the arguments are words of a script, with their quotes
	hide     hiding     // what the next argument is
	all      bool       // all further arguments are secret
	sql      bool       // the value of an option that takes SQL follows
}

// hiding says what the next argument is.
type hiding uint8

const (
	plain   hiding = iota
	perhaps        // a secret, if it is no option
	secret
	login // user:secret
)

// meet takes note of a program that is started.
func (m *masker) meet(arg string) {
	if strings.HasPrefix(arg, "-") || strings.Contains(arg, "://") || strings.ContainsAny(arg, " \t\n'\"") {
		return
	}
	for _, p := range programsOf(arg) {
		if !slices.Contains(m.programs, p) {
			m.programs = append(m.programs, p)
		}
	}
	m.words = append(m.words, arg)
}

// said says whether one of some words stood in the command.
func (m *masker) said(words string) bool {
	return slices.ContainsFunc(m.words, func(w string) bool { return listed(words, w) })
}

// inDSN is the password of a data source name of the Percona Toolkit.
var inDSN = regexp.MustCompile(`((?:^|,)p=)[^,"']+`)

// setters are words behind which the name of a setting and its value follow.
const setters = "set SET config CONFIG configure set-config"

// client says whether a program takes SQL as an argument.
func (m *masker) client() bool {
	return slices.ContainsFunc(m.programs, func(p *program) bool { return p.sql })
}

// isScript says whether an argument with blanks is a script of a shell, or one
// value.
func (m *masker) isScript(arg, before string) bool {
	if m.hide != plain || m.all || !strings.ContainsAny(arg, " \t\n") || m.takesSQL(arg) {
		return false
	}
	name, _, valued := strings.Cut(arg, "=")
	isSecret := valued && !strings.ContainsAny(name, " '\"") && isSecret(name)
	runs := strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "--") && strings.HasSuffix(before, "c")
	return !isSecret || runs && !strings.HasPrefix(arg, "-")
}

// argument hides what is secret in the next argument.
func (m *masker) argument(arg string) string {
	hide, sql := m.hide, m.sql
	m.hide, m.sql = plain, false
	isOption := strings.HasPrefix(arg, "-") && arg != "-"
	switch {
	case m.all, hide == secret, hide == perhaps && !isOption:
		return Mask
	case hide == login:
		return maskLogin(arg)
	}
	for _, p := range m.programs {
		if masked, ok := m.known(p, arg); ok {
			return masked
		}
	}
	name, _, valued := strings.Cut(arg, "=")
	plainName := !strings.ContainsAny(name, " '\"{&;,") && !strings.Contains(name, "://")
	if valued && plainName && isSecret(name) {
		return name + "=" + Mask
	}
	m.sql = isOption && m.isSQLOption(arg)
	if m.sql {
		return arg
	}
	if sql && !isOption || m.takesSQL(arg) {
		return Text(m.maskSQL(Text(arg)))
	}
	if !valued && !strings.Contains(arg, ":") && isSecret(arg) && (isOption || !strings.ContainsAny(arg, " /\"'") && m.said(setters)) {
		m.hide = perhaps
		return arg
	}
	return Text(arg)
}

// known hides a secret that a program takes in a way of its own.
func (m *masker) known(p *program, arg string) (masked string, ok bool) {
	if p.after != "" && !m.said(p.after) {
		return "", false
	}
	bare := arg
	if m.shell {
		_, bare, _ = unquote(arg)
	}
	for o := range strings.FieldsSeq(p.attached) {
		if strings.HasPrefix(bare, o) && len(bare) > len(o) && bare[len(o)] != '=' {
			return o + Mask, true
		}
	}
	if at, ok := p.option(p.next, arg); ok {
		if at == len(arg) {
			m.hide = secret
			return arg, true
		}
		return arg[:at] + Mask, true
	}
	if at, ok := p.option(p.login, arg); ok {
		if at == len(arg) {
			m.hide = login
			return arg, true
		}
		return arg[:at] + maskLogin(arg[at:]), true
	}
	switch {
	case listed(p.words, bare):
		m.hide = secret
		return arg, true
	case p.opens(bare):
		m.all = true
		return arg, true
	case p.stdin && m.shell && strings.HasPrefix(bare, "<<"):
		m.all = true
		return "<<" + Mask, true
	case p.value != "" && m.said(p.value) && strings.Contains(bare, "=") && !strings.HasPrefix(bare, "-"):
		return arg[:strings.IndexByte(arg, '=')+1] + Mask, true
	case p.dsn && inDSN.MatchString(bare):
		return inDSN.ReplaceAllString(arg, "${1}"+Mask), true
	case p.bare && strings.Contains(bare, "/") && !strings.HasPrefix(bare, "/"):
		user, after, _ := strings.Cut(bare, "/")
		place := ""
		if at := strings.LastIndexByte(after, '@'); at >= 0 {
			place = after[at:]
		}
		return user + "/" + Mask + place, true
	}
	return "", false
}

// maskLogin hides the secret behind a user. Programs part them differently.
func maskLogin(arg string) string {
	if at := strings.IndexAny(arg, ":%,"); at >= 0 {
		return arg[:at+1] + Mask
	}
	return arg
}
