package watch

import (
	"fmt"
	"strings"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/report"
	"rtrail/internal/unit"
)

// Event is what happens to a fault.
type Event string

// Events.
const (
	Began   Event = "began"   // or came back: see Times
	Changed Event = "changed" // it has another cause
	Ended   Event = "ended"
)

// Notice tells what happened to a fault. Its JSON form is docs/watch.schema.json.
type Notice struct {
	Event Event     `json:"event"`
	At    time.Time `json:"at"`    // when it was noticed
	Fault string    `json:"fault"` // the same for all notices of a fault, also across restarts
	Times int       `json:"times"` // how often it has come, 1 at first
	Host  string    `json:"host"`
	Key             // of the cause
	report.Brief
	Since time.Time  `json:"since"`         // when the first window begins that has it
	Until *time.Time `json:"until"`         // when the last one ends; null: it is there
	Was   *Cause     `json:"was,omitempty"` // the cause before
	// Within is the cause of another fault that an ended one turned out to be a consequence of.
	Within *Cause `json:"within,omitempty"`
	// Alike is how many other faults of the rule there are.
	Alike int `json:"alike,omitempty"`
	// Unjudged says that it ended because its rule could not be judged any more.
	Unjudged bool   `json:"unjudged,omitempty"`
	See      string `json:"see,omitempty"` // a command that shows more
}

// Cause names a cause.
type Cause struct {
	Key
	Headline string `json:"headline"`
}

// what says what happened.
func (n *Notice) what() string {
	if n.Event == Began && n.Times > 1 {
		return "came back"
	}
	return string(n.Event)
}

// timesWords says how often it has come; "" of the first time.
func (n *Notice) timesWords() string {
	if n.Times < 2 {
		return ""
	}
	return ordinal(n.Times) + " time"
}

func ordinal(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return fmt.Sprint(n, ending)
}

// remarks are what is to be added to what happened.
func (n *Notice) remarks() (list []string) {
	if n.Was != nil && n.Was.Key != n.Key {
		list = append(list, fmt.Sprintf("was %s: %s", n.Was.Rule, n.Was.Headline))
	}
	if n.Within != nil {
		list = append(list, fmt.Sprintf("is a consequence of %s: %s", n.Within.Rule, n.Within.Headline))
	}
	if n.Unjudged {
		list = append(list, "could not be judged any more")
	}
	if n.Alike > 0 {
		list = append(list, unit.Plural(n.Alike, "more fault of this kind", "more faults of this kind"))
	}
	return list
}

// lasted says since when it is there, or from when to when it was.
func (n *Notice) lasted() string {
	if n.Until == nil {
		return "since " + unit.Clock(n.Since).String()
	}
	return fmt.Sprintf("%s to %v, %v", n.Since.Local().Format("15:04:05"), unit.Clock(*n.Until), unit.Duration(n.Until.Sub(n.Since).Round(time.Second)))
}

// Line is the notice in one line.
func (n *Notice) Line() string {
	parts := []string{fmt.Sprintf("%v  %-9s  %s, %s: %s", unit.Moment(n.At), n.what(), n.Confidence, n.Rule, n.Headline)}
	if n.Event == Ended || n.Times > 1 {
		parts = append(parts, n.lasted())
	}
	if words := n.timesWords(); words != "" {
		parts = append(parts, words)
	}
	if n.Event != Ended {
		for _, words := range []string{n.Impact, n.Who} {
			if words != "" {
				parts = append(parts, words)
			}
		}
	}
	return shown(strings.Join(append(parts, n.remarks()...), "; "))
}

// Text is the notice in at most ten lines.
func (n *Notice) Text() string {
	head := fmt.Sprintf("%s: %s %s, %s", n.Host, n.Rule, n.what(), n.lasted())
	if words := n.timesWords(); words != "" {
		head += ", " + words
	}
	lines := []string{head, n.Confidence + ": " + n.Headline}
	for _, x := range []struct{ label, words string }{
		{"impact", n.Impact}, {"who", n.Who}, {"note", strings.Join(n.remarks(), "; ")},
	} {
		if x.words != "" {
			lines = append(lines, fmt.Sprintf("%-7s %s", x.label, x.words))
		}
	}
	if n.Event != Ended {
		for _, x := range []struct{ label, words string }{{"LOOK", n.Look}, {"CHANGE", n.Change}} {
			if x.words != "" {
				lines = append(lines, fmt.Sprintf("%-7s %s", x.label, x.words))
			}
		}
	}
	why := "rtrail explain " + n.Rule
	if n.See != "" {
		why += "; " + n.See
	}
	lines = append(lines, fmt.Sprintf("%-7s %s", "WHY", why))
	for i := range lines {
		lines[i] = shown(lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}

// shown is a line that is safe to show.
func shown(line string) string { return cut(escape.Text(oneLine.Replace(line))) }

// oneLine makes one line of several; other blanks may belong to a command.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// maxLine bounds a line, in bytes.
const maxLine = 1000

func cut(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + "..."
}
