// Package fullscreen is what programs on the whole terminal have in common: styles, keys
// that scroll, and lines that fill a screen.
package fullscreen

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"rtrail/internal/document"
	"rtrail/internal/prose"
)

// Styles of words.
var (
	Bold    = lipgloss.NewStyle().Bold(true)
	Faint   = lipgloss.NewStyle().Faint(true)
	Chosen  = lipgloss.NewStyle().Reverse(true)
	Alarm   = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("9"))
	Drawing = lipgloss.NewStyle().Foreground(lipgloss.Color("6"))
)

// MinHeight and MinWidth are the smallest screen that shows anything of use.
const (
	MinHeight = 8
	MinWidth  = 40
)

// Scrolled moves the first line that is shown, by one or by a page, if that is
// what a key means.
func Scrolled(first *int, key string, page int) bool {
	switch key {
	case "down", "j":
		*first++
	case "up", "k":
		*first--
	case "pgdown":
		*first += page
	case "pgup":
		*first -= page
	case "home", "g":
		*first = 0
	default:
		return false
	}
	return true
}

// Tabs are the names of panes in a line, with their keys, and how much is in each; no
// counts: that is not said.
func Tabs(names []string, counts []int, chosen, width int) string {
	var b strings.Builder
	used := 0
	for i, name := range names {
		text := fmt.Sprintf(" %d %s ", i+1, name)
		if counts != nil {
			text += fmt.Sprintf("%d ", counts[i])
		}
		if used+utf8.RuneCountInString(text) > width {
			break
		}
		used += utf8.RuneCountInString(text)
		if i == chosen {
			text = Chosen.Render(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// Wrap breaks a text into lines of a screen; those after the first are indented by
// hang. A word that is longer than a line is cut.
func Wrap(text string, width, hang int) []string {
	lines := strings.Split(prose.Wrap(text, width, hang), "\n")
	for i, line := range lines {
		lines[i] = document.Clip(line, width)
	}
	return lines
}

// Part is what is shown of lines in so many; first is kept within them.
func Part(lines []string, first *int, room int) []string {
	room = max(room, 0)
	*first = min(max(*first, 0), max(0, len(lines)-room))
	return lines[*first:min(*first+room, len(lines))]
}

// Fill makes lines as many as the screen has, with the keys on the last one.
func Fill(lines []string, height int, keys string) string {
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	return strings.Join(append(lines[:height-1], keys), "\n")
}
