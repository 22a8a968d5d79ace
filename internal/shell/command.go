// Package shell builds the commands that rtrail prints for people to paste.
//
// A name in a command may come from anybody: a process, a control group, a mount
// point, a table, a recording of somebody else. So a Command cannot be made of a
// string: its format is a constant of the source, and what fills it is quoted
// here, for the shell and, where a command holds another language, for that one
// first. The compiler refuses the rest.
//
//	shell.Line("df -B1 -- %s", mountPoint)
//	shell.Line("mysql -e %s", shell.SQL("show index from %s", shell.Name(table)))
package shell

import "strings"

// constant is a format that stands in the source: no other package can convert a
// string to it, so that only untyped constants fit.
type constant string

// Command is one command, or several, for a POSIX shell; or a piece of one. The
// zero value is none. A command that cannot be written safely is none either.
type Command struct {
	text    string
	refused bool
}

// Line makes a command. Its verbs:
//
//	%s  a string or a fmt.Stringer: one word, quoted where it must be.
//	    A Command: as it is; an empty one takes the blank behind it along.
//	    A Path, Paths, Address, Script, Query, Filter or Expression: see there.
//	%d  an integer; %f with precision: a number
//	%%  a percent sign
//
// Within quotes of the format only numbers may stand: what holds names there is
// a language of its own and has its own constructor. A word that would begin
// with a dash, and so be taken for an option, and a NUL make the command none,
// unless "--" stands before it in the format.
func Line(format constant, args ...any) Command {
	f := formatter{into: posix}
	f.format(string(format), args)
	return Command{text: strings.TrimSpace(f.out.String()), refused: f.refused}.orNone()
}

func (c Command) orNone() Command {
	if c.refused {
		c.text = ""
	}
	return c
}

// With adds words behind a command. Nothing can be added to a command that is
// none.
func (c Command) With(format constant, args ...any) Command {
	if c.text == "" {
		return c
	}
	more := Line(format, args...)
	if more.refused {
		return more
	}
	return Command{text: strings.TrimSpace(c.text + " " + more.text)}
}

// String is the command as it is pasted; "" for none.
func (c Command) String() string { return c.text }

// Empty says that there is no command.
func (c Command) Empty() bool { return c.text == "" }

// Equal is for tests.
func (c Command) Equal(other Command) bool { return c.text == other.text }

func (c Command) insert(into language) (string, bool) {
	if into != posix && into != words {
		misused("a command", into)
	}
	return c.text, !c.refused
}

// Script is a command as one word of another one, which gives it to a shell: of
// watch, sh -c, ssh.
type Script Command

func (s Script) insert(into language) (string, bool) {
	if into != posix && into != words {
		misused("a script", into)
	}
	return Quote(s.text), !s.refused
}

// Path is the name of a file: a relative one that begins with a dash gets ./
// before it.
type Path string

func (p Path) insert(into language) (string, bool) {
	if into != posix && into != words {
		misused("a path", into)
	}
	if strings.HasPrefix(string(p), "-") {
		p = "./" + p
	}
	return quote(string(p))
}

// Paths are the names of files, a word each.
type Paths []string

func (p Paths) insert(into language) (string, bool) {
	words := make([]string, len(p))
	for i, name := range p {
		word, ok := Path(name).insert(into)
		if !ok {
			return "", false
		}
		words[i] = word
	}
	return strings.Join(words, " "), true
}
