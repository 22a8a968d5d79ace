package klog

import (
	"bytes"
	"errors"
	"strconv"
	"time"
)

// record is one message as /dev/kmsg gives it (kernel
// Documentation/ABI/testing/dev-kmsg).
type record struct {
	facility int
	level    int32
	sequence uint64
	since    time.Duration // since boot, on the kernel's own clock
	text     string
}

var errRecord = errors.New("not a record of /dev/kmsg")

// parse reads "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT\n" followed by
// lines of KEY=VALUE that begin with a blank, which are left out. Fields that
// newer kernels add before the semicolon are ignored.
func parse(b []byte) (record, error) {
	head, text, ok := bytes.Cut(b, []byte{';'})
	if !ok {
		return record{}, errRecord
	}
	fields := bytes.SplitN(head, []byte{','}, 5)
	if len(fields) < 3 {
		return record{}, errRecord
	}
	priority, err1 := strconv.ParseUint(string(fields[0]), 10, 32)
	sequence, err2 := strconv.ParseUint(string(fields[1]), 10, 64)
	micros, err3 := strconv.ParseInt(string(fields[2]), 10, 64)
	const most = int64(1<<63-1) / int64(time.Microsecond)
	if err1 != nil || err2 != nil || err3 != nil || micros < 0 || micros > most {
		return record{}, errRecord
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return record{
		facility: int(priority >> 3),
		level:    int32(priority & 7),
		sequence: sequence,
		since:    time.Duration(micros) * time.Microsecond,
		text:     unescape(line),
	}, nil
}

// unescape turns the kernel's \xNN back into bytes.
func unescape(b []byte) string {
	if !bytes.Contains(b, []byte(`\x`)) {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+3 < len(b) && b[i+1] == 'x' {
			if n, err := strconv.ParseUint(string(b[i+2:i+4]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 3
				continue
			}
		}
		out = append(out, b[i])
	}
	return string(out)
}
