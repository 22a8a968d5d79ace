package rule

import (
	"regexp"
	"strings"
)

// Whoever writes a rule thinks of many: "%s connections wait". Counts are often
// one, and a plural then reads like a fault of the program. The words that are
// counted are few, so they are made to agree in one place.
var (
	countedOne = regexp.MustCompile(`(^|[ (])1 ((?:temporary|prepared|open|new|busy|useless|whole|other) )?` +
		`(statement|session|transaction|request|connection|thread|process|time|segment|row|packet|client|worker|query|querie|commit|sample|error|` +
		`second|group|table|handshake|lock|call|file descriptor|file|page request|page|child|children|probe|timeout|switche|look|job)(?:e?s)?` +
		`( (?:wait|hang|are|were|have|do|exist|repeat|come|execute|sort|count))?\b`)
	nouns = map[string]string{"querie": "query", "children": "child", "switche": "switch"}
	verbs = map[string]string{"": "", " are": " is", " were": " was", " have": " has", " do": " does"}
)

// agree puts what follows the number one into the singular.
func agree(s string) string {
	if !strings.Contains(s, "1 ") {
		return s
	}
	return countedOne.ReplaceAllStringFunc(s, func(found string) string {
		m := countedOne.FindStringSubmatch(found)
		noun, verb := m[3], m[4]
		if other, ok := nouns[noun]; ok {
			noun = other
		}
		if other, ok := verbs[verb]; ok {
			verb = other
		} else {
			verb += "s"
		}
		return m[1] + "1 " + m[2] + noun + verb
	})
}
