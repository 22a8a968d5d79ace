package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// hiccup is how far a replica may be behind, beyond what it was told to be,
// before that is worth a word. The server tells whole seconds, and one large
// transaction takes some.
const hiccup = 5 * time.Second

// ReplicaTrouble words what is wrong with a channel by which a server follows
// another one: a thread that does not run, with the number and the text of its
// error, or a lag; "" if nothing is.
func ReplicaTrouble(r *recording.MySQLReplica) string {
	var parts []string
	if r.SQLRunning != "" && r.SQLRunning != "Yes" {
		parts = append(parts, "the SQL thread, which applies changes, "+stopped(r.SQLRunning, r.SQLErrno, r.SQLError))
	}
	if r.IORunning != "" && r.IORunning != "Yes" {
		parts = append(parts, "the IO thread, which fetches changes, "+stopped(r.IORunning, r.IOErrno, r.IOError))
	}
	if late := r.Lag - max(r.Delay, 0); r.Lag >= 0 && late >= hiccup {
		text := unit.Duration(r.Lag).String() + " behind"
		if r.Delay > 0 {
			text += ", of which " + unit.Duration(r.Delay).String() + " are wanted"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	channel := ""
	if r.Channel != "" {
		channel = fmt.Sprintf(" (channel %s)", r.Channel)
	}
	return fmt.Sprintf("replication from %s%s: %s", cmp.Or(r.Source, "its source"), channel, strings.Join(parts, "; "))
}

// stopped words the state of a thread that does not run: No, Connecting.
func stopped(state string, number int32, text string) string {
	word, by := "is in state "+state, ", error"
	if state == "No" {
		word, by = "has stopped", " by error"
	}
	switch {
	case number > 0 && text != "":
		return fmt.Sprintf("%s%s %d: %s", word, by, number, text)
	case number > 0:
		return fmt.Sprintf("%s%s %d", word, by, number)
	case text != "":
		return word + ": " + text
	}
	return word + ", and tells no error"
}
