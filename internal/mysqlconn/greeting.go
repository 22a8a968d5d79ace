package mysqlconn

import (
	"fmt"
	"strings"
	"unicode"
)

// maxFirst is how much of what a server says first is kept for its error text.
const maxFirst = 40

// maxGreetingNumber is the highest number of a packet that may come first: that
// of an error may be another one than 0.
const maxGreetingNumber = 2

// beginsGreeting says whether bytes begin a greeting: the length in three bytes,
// the number 0, and the version of the protocol, 9 or 10. An error has 255 there.
func beginsGreeting(b []byte) bool {
	switch {
	case len(b) < 5 || b[3] > maxGreetingNumber:
		return false
	case b[4] == packetError:
		return true
	}
	return b[3] == 0 && (b[4] == 9 || b[4] == 10)
}

// notMySQL is what something else said.
type notMySQL struct{ first []byte }

func (e *notMySQL) Error() string {
	shown := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '.'
		}
		return r
	}, strings.TrimRight(string(e.first), "\r\n"))
	return fmt.Sprintf("%v: it begins with %q", ErrNotMySQL, shown)
}

func (e *notMySQL) Unwrap() error { return ErrNotMySQL }
