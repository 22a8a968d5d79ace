package stack

import (
	"bufio"
	"bytes"
	"time"
)

// writtenHead is where a dump of a Java VM says when it was written: in its first line,
// with jcmd behind that of the PID.
const writtenHead = 256

// writtenAt is when a dump says it was written, by the clock and zone of its host,
// which are taken for those of this one; zero if it does not say.
func writtenAt(in *bufio.Reader) time.Time {
	head, _ := in.Peek(writtenHead)
	date, _, found := bytes.Cut(head, []byte("\nFull thread dump"))
	if !found {
		return time.Time{}
	}
	date = bytes.TrimSpace(date[bytes.LastIndexByte(date, '\n')+1:])
	at, err := time.ParseInLocation(time.DateTime, string(date), time.Local)
	if err != nil || at.Year() < 1995 || at.After(time.Now().AddDate(0, 0, 1)) {
		return time.Time{}
	}
	return at
}
