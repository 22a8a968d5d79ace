package shell

// Advice is a sentence that says what to do. It may hold commands, and people
// paste them, so that it is built as a Command is. The zero value is none.
type Advice struct{ text string }

// Say makes an advice. Its verbs are those of Line; a name that cannot be written
// safely makes it none.
func Say(format constant, args ...any) Advice {
	f := formatter{into: words}
	f.format(string(format), args)
	if f.refused {
		return Advice{}
	}
	return Advice{f.out.String()}
}

// String is the sentence; "" for none.
func (a Advice) String() string { return a.text }

// Empty says that there is no advice.
func (a Advice) Empty() bool { return a.text == "" }

// Equal is for tests.
func (a Advice) Equal(other Advice) bool { return a == other }

func (a Advice) insert(into language) (string, bool) {
	if into != words {
		misused("an advice", into)
	}
	return a.text, true
}

// Recorded is the advice of a probe that stands in a recording.
func Recorded(text string) Advice { return Advice{text} }
