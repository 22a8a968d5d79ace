package ruletest

import (
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/shell/shelltest"
)

// SQL names tables and columns behind these words.
var (
	sqlText  = regexp.MustCompile(`(?i)^\(?(select|insert|update|delete|replace|with|alter|lock|create)\s`)
	sqlTable = regexp.MustCompile("(?i)\\b((?:from|join|update|into|table|where|and|by|on|set)\\s+)(`[^`]+`|[A-Za-z_]\\w*)((?:\\.[A-Za-z_]\\w*)?)")
	sqlWords = regexp.MustCompile(`(?i)^(select|insert|update|delete|set|values|where|low_priority|ignore|not|exists)$`)

	// The kernel log names processes and control groups within its lines.
	logName = regexp.MustCompile(`rocess \d+ \(([^)]+)\)|(?:memcg|task)=([^,]+)`)

	hostPort = regexp.MustCompile(`^(.*)(:\d+)$`)
	twoNames = regexp.MustCompile(`^([A-Za-z_]\w*)\.([A-Za-z_]\w*)$`)
)

// named is a text of the evidence with something in the names that it holds. The
// same name becomes the same, wherever it stands alone, so that what belonged
// together still does.
func named(text, what string, first bool) string {
	name := func(s string) string {
		switch {
		case strings.TrimSpace(s) == "":
			return s
		case first:
			return what + s
		}
		return s + what
	}
	list := func(separator string, each func(string) string) string {
		parts := strings.Split(text, separator)
		for i := range parts {
			parts[i] = each(parts[i])
		}
		return strings.Join(parts, separator)
	}
	switch {
	case sqlText.MatchString(text):
		return namedInSQL(text, name)
	case strings.HasPrefix(text, "/"):
		return list("/", name)
	case strings.Contains(text, ","):
		return list(",", func(s string) string {
			bare := strings.TrimLeft(s, " ")
			return s[:len(s)-len(bare)] + named(bare, what, first)
		})
	}
	if m := hostPort.FindStringSubmatch(text); m != nil {
		return name(m[1]) + m[2]
	}
	if m := twoNames.FindStringSubmatch(text); m != nil {
		return name(m[1]) + "." + name(m[2])
	}
	return name(text)
}

// namedInSQL changes the names of tables and columns in a statement.
func namedInSQL(text string, name func(string) string) string {
	var b strings.Builder
	end := 0
	for _, m := range sqlTable.FindAllStringSubmatchIndex(text, -1) {
		schema, table := "", strings.Trim(text[m[4]:m[5]], "`")
		if sqlWords.MatchString(table) || strings.HasPrefix(strings.TrimLeft(text[m[1]:], " "), "(") {
			continue // not a name, or that of a function
		}
		if m[7] > m[6] {
			schema, table = "`"+table+"`.", text[m[6]+1:m[7]]
		}
		b.WriteString(text[end:m[4]] + schema + "`" + strings.ReplaceAll(name(table), "`", "``") + "`")
		end = m[1]
	}
	return b.String() + text[end:]
}

// renamed is evidence in which some texts have something in their names.
func renamed(rec *recording.Recording, texts map[string]bool, what string, first bool) *recording.Recording {
	var inLog []string // names that lines of the kernel log speak of
	for text := range texts {
		if len(text) > 2 && !strings.Contains(text, " ") {
			inLog = append(inLog, text)
		}
	}
	slices.SortFunc(inLog, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, text := range inLog {
		pairs = append(pairs, text, named(text, what, first))
	}
	log := strings.NewReplacer(pairs...)
	w, err := rec.Rewrite(func(t recording.Table, _, text string) string {
		switch {
		case t == recording.KernelLog:
			return log.Replace(text)
		case texts[text]:
			return named(text, what, first)
		}
		return text
	}, nil)
	if err != nil {
		panic(err) // all rows of a recording can be copied
	}
	other := recording.New(rec.Manifest())
	if err := other.Commit(w); err != nil {
		panic(err)
	}
	return other
}

// texts lists the texts of the evidence, in order.
func texts(rec *recording.Recording) []string {
	seen := map[string]bool{"": true}
	var list []string
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	_, err := rec.Rewrite(func(t recording.Table, _, text string) string {
		if t != recording.KernelLog {
			add(text)
			return text
		}
		for _, m := range logName.FindAllStringSubmatch(text, -1) {
			add(m[1] + m[2])
		}
		return text
	}, nil)
	if err != nil {
		panic(err)
	}
	slices.Sort(list)
	return list
}

func holdsMarker(s string) bool { return strings.Contains(s, shelltest.Marker) }
