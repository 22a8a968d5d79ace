package rule

import (
	"fmt"
	"strings"
)

// Whoever writes a rule thinks of many: "%s connections wait". Counts are often
// one, and a plural then reads like a fault of the program. The words that are
// counted are few, so they are made to agree in one place: in the format, where
// names and statements of others cannot be mistaken for them.
var (
	// singular of what is counted, whole plurals first.
	singular = map[string]string{
		"statements": "statement", "sessions": "session", "transactions": "transaction", "requests": "request", "connections": "connection",
		"threads": "thread", "processes": "process", "times": "time", "segments": "segment", "rows": "row", "packets": "packet", "clients": "client",
		"workers": "worker", "queries": "query", "commits": "commit", "samples": "sample", "errors": "error", "seconds": "second", "groups": "group",
		"tables": "table", "handshakes": "handshake", "locks": "lock", "calls": "call", "files": "file", "pages": "page", "children": "child",
		"probes": "probe", "timeouts": "timeout", "switches": "switch", "looks": "look", "jobs": "job", "descriptors": "descriptor", "tasks": "task",
	}
	// beforeCounted are words between a number and what is counted.
	beforeCounted = map[string]bool{"temporary": true, "prepared": true, "open": true, "new": true, "busy": true, "useless": true, "whole": true, "other": true, "file": true, "page": true}
	// verbs that follow, for one.
	verbs = map[string]string{
		"are": "is", "were": "was", "have": "has", "do": "does", "wait": "waits", "hang": "hangs", "exist": "exists", "repeat": "repeats", "come": "comes",
		"execute": "executes", "sort": "sorts", "count": "counts",
	}
)

// agree puts what a format counts into the singular where the argument is one.
func agree(format string, args []any) string {
	var out strings.Builder
	last := byte(' ') // before the argument
	for next := 0; ; next++ {
		start := strings.IndexByte(format, '%')
		if start < 0 {
			break
		}
		if start > 0 {
			last = format[start-1]
		}
		end := start + 1
		for end < len(format) && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		if end == len(format) {
			break
		}
		end++
		verb := format[start:end]
		out.WriteString(format[:end])
		format = format[end:]
		if verb == "%%" {
			next--
			continue
		}
		if (last == ' ' || last == '(') && next < len(args) && fmt.Sprintf(verb, args[next]) == "1" {
			words, rest := one(format)
			out.WriteString(words)
			format = rest
		}
		last = 0
	}
	return out.String() + format
}

// one takes the words after the number one off a format, for one.
func one(format string) (words, rest string) {
	word := func(s string) (w, rest string) {
		if !strings.HasPrefix(s, " ") {
			return "", s
		}
		n := 1
		for n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
			n++
		}
		return s[1:n], s[n:]
	}
	noun, rest := word(format)
	if beforeCounted[noun] {
		if w, after := word(rest); singular[w] != "" {
			words, noun, rest = " "+noun, w, after
		}
	}
	if singular[noun] == "" {
		return "", format
	}
	words += " " + singular[noun]
	if w, after := word(rest); verbs[w] != "" {
		words, rest = words+" "+verbs[w], after
	}
	return words, rest
}
