// Package document is what all faces print: facts, findings, tables and lists,
// which know nothing of where they are shown. One terminal form, one Markdown form and
// one HTML form render them; each makes text from outside safe for its place. Results
// for programs are written as JSON here, too.
package document

import "strings"

// Document is an answer, from top to bottom.
type Document struct {
	Title  string // for forms that have a title of the page
	Blocks []Block
}

// Block is one of Facts, Prose, Heading, Finding, Table, List and Chains.
type Block interface{ block() }

// Facts are short pieces in a line, each of which stays whole: "CPU 7 %", "load 0.9".
type Facts struct {
	Lead  string   `json:"lead,omitempty"` // stands before them in Style
	Items []string `json:"items,omitempty"`
	Style Style    `json:"style,omitempty"`
}

// Prose is a sentence or more, with a label left of it.
type Prose struct {
	Label string `json:"label,omitempty"`
	Style Style  `json:"style,omitempty"` // of the label, or of the words where there is none
	Words string `json:"words,omitempty"`
}

// Heading stands above the blocks after it.
type Heading struct {
	Words string `json:"words,omitempty"`
	Style Style  `json:"style,omitempty"`
}

// Finding is one thing that was found, with what belongs to it.
type Finding struct {
	Number   int    `json:"number,omitempty"`
	Mark     string `json:"mark,omitempty"`  // how sure it is: CERTAIN
	Style    Style  `json:"style,omitempty"` // of the mark
	Headline string `json:"headline,omitempty"`
	Rows     []Row  `json:"rows,omitempty"`
	// Lines is how many a terminal shows of it at most, 0 all. Rows that are Spare give
	// way first, the highest before the others; before those of 3 and less, words of more
	// than a line are cut, the last first.
	Lines int `json:"-"`
}

// Row is a labelled part of a finding: words, commands, or both.
type Row struct {
	Label    string   `json:"label,omitempty"`
	Words    string   `json:"words,omitempty"`
	Commands []string `json:"commands,omitempty"` // to be pasted: never cut
	Price    string   `json:"price,omitempty"`    // what the commands cost
	Danger   string   `json:"danger,omitempty"`   // what the commands may destroy; "" if nothing
	Lines    int      `json:"-"`                  // that a terminal shows of the words at most, 0 all
	Spare    int      `json:"-"`                  // 0: always shown
}

// Table has the same number of cells in every row.
type Table struct {
	Title   string     `json:"title,omitempty"` // "" for none
	Columns []Column   `json:"columns,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
	// Below has for each row what belongs to it and fits no column; nil: nothing.
	Below [][]Row `json:"below,omitempty"`
	Under int     `json:"-"`              // the column below which that begins
	More  string  `json:"more,omitempty"` // says what was left out
}

// Add appends a row of cells, and what stands below it.
func (t *Table) Add(cells []string, below ...Row) {
	t.Rows = append(t.Rows, cells)
	t.Below = append(t.Below, below)
}

// List is things under one title. Without a title it is remarks, on the block above if
// there is one, which have only words.
type List struct {
	Title string `json:"title,omitempty"` // "" for remarks
	Style Style  `json:"style,omitempty"`
	Items []Item `json:"items,omitempty"`
	More  string `json:"more,omitempty"` // says what was left out
}

// Item is one of a list, with the command that shows or changes it.
type Item struct {
	Words   string `json:"words,omitempty"`
	Command string `json:"command,omitempty"` // to be pasted
	Remedy  string `json:"remedy,omitempty"`  // what to do about it, in words
	Lines   int    `json:"-"`                 // that a terminal shows of the words at most, 0 all
}

// Chains are things of which each has to do with the next. Forms without pictures show
// them as a list.
type Chains struct {
	Title  string   `json:"title,omitempty"`
	Style  Style    `json:"style,omitempty"`
	Chains [][]Link `json:"chains,omitempty"`
}

// Link is one of a chain.
type Link struct {
	Name string `json:"name,omitempty"`
	// Waits says for what it waits of the next one, and how long; "": that is not known.
	Waits string `json:"waits,omitempty"`
}

// list has a line for each chain.
func (c Chains) list() List {
	l := List{Title: c.Title, Style: c.Style}
	for _, chain := range c.Chains {
		var words []string
		for _, x := range chain {
			if x.Waits != "" {
				x.Name += " (" + x.Waits + ")"
			}
			words = append(words, x.Name)
		}
		l.Items = append(l.Items, Item{Words: strings.Join(words, " → ")})
	}
	return l
}

// Style says what words mean, not how they look.
type Style int

// Styles of words.
const (
	Plain  Style = iota
	Strong       // headlines
	Quiet        // what is read last
	Alarm        // known faults
	Warn         // what is not sure, or missing
	Good         // health
)

// MarshalText is the name of a style.
func (s Style) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the name of a style.
func (s Style) String() string {
	return [...]string{Plain: "plain", Strong: "strong", Quiet: "quiet", Alarm: "alarm", Warn: "warn", Good: "good"}[s]
}

func (Facts) block()   {}
func (Prose) block()   {}
func (Heading) block() {}
func (Finding) block() {}
func (Table) block()   {}
func (List) block()    {}
func (Chains) block()  {}
