package shelltest

import "testing"

// Payload is what a hostile name holds: at its end, or where it begins.
type Payload struct {
	Text  string
	First bool
}

// In is a name with the payload.
func (p Payload) In(name string) string { return p.with(name, p.Text) }

// Harmless is the same name with the Marker in its place.
func (p Payload) Harmless(name string) string { return p.with(name, Marker) }

func (p Payload) with(name, text string) string {
	if p.First {
		return text + name
	}
	return name + text
}

// Payloads would run something, end a quotation, be an option, part words, or be
// read as more than a name by a language within.
var Payloads = []Payload{
	{Text: "$(touch x)"},
	{Text: "`touch x`"},
	{Text: "'; rm -rf x; '"},
	{Text: `" || touch x || "`},
	{Text: "\ntouch x\n"},
	{Text: "|touch x&>x<x # "},
	{Text: "-rf ", First: true},
	{Text: "~", First: true},
	{Text: " * ? [a-z] {a,b} $HOME !!"},
	{Text: `\`},
	{Text: `'); drop table x; -- `},
	{Text: "\x1b]0;x\x07"},
}

// Pasted fails the test if a hostile name changes what a command does; "" is none.
func Pasted(t *testing.T, name string, command func(name string) string) {
	t.Helper()
	compared := 0
	for _, p := range Payloads {
		harmless, hostile := command(p.Harmless(name)), command(p.In(name))
		if hostile == "" {
			continue // it cannot be written safely, and so is not offered
		}
		compared++
		if err := Same(harmless, hostile, p.Text); err != nil {
			t.Errorf("%q: %v\n%s\nwith a harmless name\n%s", p.Text, err, hostile, harmless)
		}
	}
	if compared == 0 {
		t.Errorf("no command with %s was compared", name)
	}
}
