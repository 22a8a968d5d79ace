package mysqlview

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// maxBlockers bounds the blockers that are told below a line, those first that
// most sessions wait for.
const maxBlockers = 3

// Holder names who holds a lock and what it does: "35 app@10.0.0.7 Sleep 41 s".
func Holder(b *view.MySQLBlocker) string {
	who := "a session the server does not name"
	switch {
	case b.Detached && b.Transaction == view.PreparedTransaction:
		who = "a prepared XA transaction without a connection"
	case b.Detached:
		who = "a transaction without a connection"
	case b.Session != 0:
		who = fmt.Sprintf("%d %s@%s", b.Session, escape.Line(b.User), escape.Line(b.Client))
	}
	if b.Command != "" {
		who += " " + escape.Line(b.Command)
	}
	if b.For >= 0 {
		who += " " + unit.Duration(b.For.Round(time.Second)).String()
	}
	return who
}

// Lock names what somebody waits for: "row lock of shop.stock".
func Lock(kind, object string) string {
	object = escape.Line(object)
	switch {
	case kind == "user":
		return strings.TrimSpace("lock of GET_LOCK " + object)
	case object == "":
		object = "an unknown table"
	}
	return kind + " lock of " + object
}

// LastWords are the statement that a holder runs, or ran last; "" if not known.
func LastWords(b *view.MySQLBlocker) string {
	switch {
	case b.Statement == "":
		return ""
	case b.Command == "Sleep":
		return "last: " + escape.Line(b.Statement)
	}
	return "runs: " + escape.Line(b.Statement)
}

// waits says in a line who waits for a holder, for how long and what for.
func waits(b *view.MySQLBlocker) string {
	text := unit.Plural(len(b.Victims), "session waits", "sessions wait")
	if longest := longestWait(b).Round(100 * time.Millisecond); longest > 0 {
		if len(b.Victims) > 1 {
			text += " up to"
		}
		text += " " + unit.Duration(longest).String()
	}
	text += fmt.Sprintf(" for the %s, held by %s", Lock(b.Kind, b.Object), Holder(b))
	if last := LastWords(b); last != "" {
		text += "; " + last
	}
	return text
}

// longestWait is how long the victim that waits longest has waited; Unknown if it is of none.
func longestWait(b *view.MySQLBlocker) time.Duration {
	longest := time.Duration(recording.Unknown)
	for i := range b.Victims {
		longest = max(longest, b.Victims[i].Waited)
	}
	return longest
}

// Waits says who waits for whom, a line for each who holds others up.
func Waits(list []view.MySQLBlocker) []string {
	var lines []string
	for i := range list[:min(len(list), maxBlockers)] {
		lines = append(lines, waits(&list[i]))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more hold others up (--full shows them)", unit.Count(more)))
	}
	return lines
}

// holders tell whether who waits for whom has changed since it was told: by who
// holds what. How many wait, and how long, changes every second.
func holders(list []view.MySQLBlocker) string {
	keys := make([]string, 0, len(list))
	for i := range list {
		keys = append(keys, fmt.Sprint(list[i].Session, list[i].Kind, list[i].Object))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// blocker is who holds others up in JSON.
type blocker struct {
	Session   int64           `json:"session"` // 0: none, or not known
	User      string          `json:"user"`
	Client    string          `json:"client"`
	Command   string          `json:"command"`
	For       document.Number `json:"for_s"`
	Statement string          `json:"statement"` // that runs, or the last one
	Lock      string          `json:"lock"`      // row, metadata, table, user
	Object    string          `json:"object"`
	Index     string          `json:"index,omitempty"`
	Waiting   []victim        `json:"waiting"`
}

// victim is a session that waits.
type victim struct {
	Session   int64           `json:"session"`
	Behind    int64           `json:"behind"` // whom it waits for directly
	Waited    document.Number `json:"waited_s"`
	Statement string          `json:"statement"`
}

func blockersJSON(list []view.MySQLBlocker) []blocker {
	out := make([]blocker, len(list))
	for i, b := range list {
		out[i] = blocker{Session: b.Session, User: b.User, Client: b.Client, Command: b.Command, For: secondsOf(b.For), Statement: b.Statement,
			Lock: b.Kind, Object: b.Object, Index: b.Index, Waiting: make([]victim, len(b.Victims))}
		for j, v := range b.Victims {
			out[i].Waiting[j] = victim{Session: v.Session, Behind: v.Behind, Waited: secondsOf(v.Waited), Statement: v.Statement}
		}
	}
	return out
}

// secondsOf is null for what is not known.
func secondsOf(d time.Duration) document.Number {
	if d < 0 {
		return document.Number(math.NaN())
	}
	return document.Number(d.Seconds())
}
