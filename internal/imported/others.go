package imported

import (
	"bytes"
	"fmt"
	"regexp"
)

// other is a report that is recognized and not read: what it is, and what to give in its place.
type other struct {
	begin   *regexp.Regexp // of the text
	what    string
	instead string
}

const (
	giveTop     = "record with top -b -d 1 -n 10"
	giveSysstat = "record with sar -o FILE 1 60 and give FILE, or with vmstat -t 1 and iostat -xt 1"
)

// others are the usual ones of those.
var others = []other{
	{regexp.MustCompile(`^\s*ATOP - |^RESET\n[A-Z]{3} |^\xef\xbe\xed\xfe`), "a report of atop", giveSysstat},
	{regexp.MustCompile(`^AAA,`), "a file of nmon", giveSysstat},
	{regexp.MustCompile(`^[^\n]*total-(?:cpu-)?usage-`), "a report of dstat", giveSysstat},
	{regexp.MustCompile(`^\s*Mem: \d+K used, \d+K free`), "what top of busybox prints", giveSysstat},
	{regexp.MustCompile(`^disk-[ -]*reads|^Cache +Num +Total|^ *\d+ [KMkm] total memory\n`), "what vmstat prints with -d, -m or -s", "record with vmstat -t 1, and iostat -xt 1 for disks"},
	{regexp.MustCompile(`^(?:USER|UID) +PID `), "what ps prints, one moment", giveTop},
	{regexp.MustCompile(`^ +total +used +free +shared`), "what free prints, one moment", "record with vmstat -t 1"},
	{regexp.MustCompile(`^\S+\t-?\d+\t\d{4}-\d\d-\d\d `), "what sadf -p prints", "run sadf -j FILE -- -A"},
	{regexp.MustCompile(`^Linux [^\n]*\n\s*\n[^\n]* TGID +TID `), "what pidstat prints of threads (-t)", "record without -t"},
	{regexp.MustCompile(`^<\?xml [^>]*>\s*<!DOCTYPE sysstat|^<\?xml [^>]*>\s*<sysstat`), "what sadf -x prints", "run sadf -j FILE -- -A"},
	{regexp.MustCompile(`^\{\s*"sysstat"[^\0]{0,600}?(?:"timestamp": "|"avg-cpu"|"statistics": \[\s*\{\s*"disk")`), "JSON of iostat or mpstat", "run it without -o JSON"},
}

// otherIn is what a text is that is not read; nil: nothing that is known.
func otherIn(head []byte) *other {
	head = bytes.TrimLeft(head, "\r\n")
	for i := range others {
		if others[i].begin.Match(head[:min(len(head), 4<<10)]) {
			return &others[i]
		}
	}
	return nil
}

func (o *other) refuse(path string) error {
	return fmt.Errorf("reading %s: it is %s: rtrail does not read that; %s", path, o.what, o.instead)
}
