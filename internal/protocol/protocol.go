// Package protocol holds what rtrail knows of application protocols besides how to
// decode them: a table with one entry for each. Decoders are in packet/proto.
package protocol

import (
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

// Traits are what others than its decoder must know of a protocol. The zero value
// is a protocol of which nothing is known.
type Traits struct {
	// Opaque says that requests are not decoded: where they begin and end is
	// inferred, and what they ask for is unknown.
	Opaque bool
	// Inferred says how requests and answers are told apart where not by the change of
	// direction, for those that are Opaque.
	Inferred string
	// Summary is how the text of a request becomes a fingerprint.
	Summary Summary
	// Names are the commands whose text is a name, where Summary takes others apart.
	Names []string
	// Messages is what the texts of errors quote.
	Messages Messages
	// Raised are the codes of errors whose text is a program's own (SIGNAL, RAISE).
	Raised []string
	// Usual are the codes of errors that answer a question: not there, already
	// there, not changed, not allowed without a password. Programs ask on purpose.
	Usual []string
	// Causes says what errors mean, by code; "5" stands for codes that begin with it
	// and have no words of their own, "" for all others.
	Causes map[string]string
	// Incapable are the codes with which a server says that it, or one behind it, could not
	// do its work, whatever the client does; "5" stands for those that begin with it.
	Incapable []string
	// Gateway are those of them with which it may answer for a server behind it that did not.
	Gateway []string
	// Database says that servers keep changes when they are told to commit, and let
	// statements wait for locks.
	Database bool
	// Dissector is tshark's name of it; "": it has none.
	Dissector string
	// Batch is how to ask for many things at once.
	Batch string
	// IdleLimit is the setting by which servers close idle connections.
	IdleLimit string
	// Inside shows what a server is doing now.
	Inside shell.Command
	// Log shows where a server writes errors; empty: into the journal.
	Log shell.Command
	// LogBy begins the names of the programs that write there; "": all servers do.
	LogBy string
	// Unit is the server's systemd unit, of which the journal has the log; "" if units
	// differ.
	Unit string
	// Pool shows how many requests a server works on at a time; empty if there is no
	// such setting.
	Pool shell.Command
}

// LogAt shows the errors that a server wrote about a moment, on its host. program is its name; "": it is not known.
func (t *Traits) LogAt(at time.Time, program string) shell.Command {
	if !t.Log.Empty() && strings.HasPrefix(program, t.LogBy) {
		return t.Log
	}
	journal := t.journalAt(at)
	if !t.Log.Empty() && program == "" {
		journal = journal.With("# of %s: %s", t.LogBy, t.Log)
	}
	return journal
}

func (t *Traits) journalAt(at time.Time) shell.Command {
	const around = time.Minute
	from, to := at.Add(-around).UTC().Format(unit.MomentLayout), at.Add(around).UTC().Format(unit.MomentLayout)
	if t.Unit == "" {
		return shell.Line("journalctl --since %s --until %s", from, to)
	}
	return shell.Line("journalctl -u %s --since %s --until %s", t.Unit, from, to)
}

// Summary is a way to make a fingerprint of the text of a request.
type Summary uint8

// The ways to summarise a request.
const (
	CommandOnly Summary = iota // the text is left out
	MySQL                      // statements of MySQL and MariaDB without literals
	PostgreSQL                 // statements of PostgreSQL without literals
	CQL                        // statements of Cassandra without literals
	TransactSQL                // statements of SQL Server without literals
	Path                       // METHOD /path/?name=? without identifiers
	Key                        // COMMAND key:? without numbers
	Domain                     // COMMAND name.example
	Name                       // COMMAND name, as it is: of a table, a queue, a procedure
)

// Messages says what the texts of errors of a protocol quote besides names.
type Messages uint8

// What texts of errors quote.
const (
	Words     Messages = iota // anything, or nobody has looked: only words that are known are kept
	Literals                  // values in quotes
	Documents                 // values in quotes, and documents in braces
)

// Names are the protocols that have an entry, by name.
func Names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(table)), func(name string) bool { return name == "" })
}

// Of gives the traits of a protocol by the name of its decoder, with words for one
// that nothing is known of. What it points to is not to be changed.
func Of(name string) *Traits {
	if t, ok := table[name]; ok {
		return t
	}
	return unknown
}

// Raises says whether the text of an error is a program's own.
func (t *Traits) Raises(code string) bool { return slices.Contains(t.Raised, code) }

// AtServer says whether an error is the server's, not the client's (Incapable).
func (t *Traits) AtServer(code string) bool {
	return slices.Contains(t.Incapable, code) || code != "" && slices.Contains(t.Incapable, code[:1])
}

// Cause says what an error means, for the one who has to do something about it.
func (t *Traits) Cause(code string) string {
	for _, key := range []string{code, code[:min(1, len(code))], ""} {
		if words, ok := t.Causes[key]; ok {
			return words
		}
	}
	return "the statement or command that fails, or what it expects to be there"
}
