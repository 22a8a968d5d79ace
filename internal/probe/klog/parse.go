package klog

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
)

// record is one record of /dev/kmsg.
type record struct {
	sequence uint64
	facility uint64
	since    time.Duration // since the machine started, as the kernel's clock has it
	// fragment says that the text goes on where the record before it ended.
	fragment bool
	text     string
}

var errFormat = errors.New("not a record of /dev/kmsg")

// maxText bounds what is kept of a line. The kernel prints at most about 1,000
// bytes (PRINTKRB_RECORD_MAX); escapes are undone before the cut.
const maxText = 1024

// parseRecord reads what one read(2) of /dev/kmsg gives (kernel
// Documentation/ABI/testing/dev-kmsg):
//
//	6,339,5140900,-,caller=T1;text with \x0a escapes
//	 SUBSYSTEM=acpi
//
// More fields may follow the flag. The lines that begin with a blank are a
// dictionary about devices, which nobody asks for here.
func parseRecord(b []byte) (record, error) {
	var r record
	head, rest, ok := bytes.Cut(b, []byte{';'})
	if !ok {
		return r, errFormat
	}
	var fields [4][]byte
	for i := range fields {
		var more bool
		fields[i], head, more = bytes.Cut(head, []byte{','})
		if !more && i < len(fields)-2 { // the flag came with 3.5.1
			return r, errFormat
		}
	}
	priority, ok1 := procfile.Uint(fields[0])
	sequence, ok2 := procfile.Uint(fields[1])
	micros, ok3 := procfile.Uint(fields[2])
	if !ok1 || !ok2 || !ok3 {
		return r, errFormat
	}
	r.sequence, r.facility = sequence, priority>>3
	r.since = time.Duration(min(micros, 1<<52)) * time.Microsecond
	r.fragment = string(fields[3]) == "+"
	line, _ := procfile.Line(rest)
	r.text = unescape(line)
	return r, nil
}

// Text is what is kept of a line of the kernel log that another tool printed.
func Text(line string) string {
	return withoutSecrets(strings.ToValidUTF8(line[:min(len(line), maxText)], "?"))
}

// unescape undoes \xHH, which stands for bytes that are not printable and for
// the backslash itself.
func unescape(b []byte) string {
	if bytes.IndexByte(b, '\\') >= 0 {
		out := make([]byte, 0, len(b))
		for i := 0; i < len(b); i++ {
			if b[i] == '\\' && i+3 < len(b) && b[i+1] == 'x' {
				if n, ok := procfile.Hex(b[i+2 : i+4]); ok {
					out = append(out, byte(n))
					i += 3
					continue
				}
			}
			out = append(out, b[i])
		}
		b = out
	}
	b = b[:min(len(b), maxText)]
	return string(bytes.ToValidUTF8(b, []byte("?")))
}
