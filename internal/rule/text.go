package rule

import "fmt"

// Text is words kept as format and arguments, so that reports can translate
// them and numbers stay numbers. Arguments implement fmt.Stringer through the
// types of package unit where a number needs one.
type Text struct {
	Format string
	Args   []any
}

// T makes a Text.
func T(format string, args ...any) Text { return Text{Format: format, Args: args} }

// String renders the text. What the format counts after the number one is put into
// the singular.
func (t Text) String() string {
	if len(t.Args) == 0 {
		return t.Format
	}
	return fmt.Sprintf(agree(t.Format, t.Args), t.Args...)
}

// Empty says that there is nothing to render.
func (t Text) Empty() bool { return t.Format == "" }
