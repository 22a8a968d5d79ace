package episode

import (
	"fmt"
	"testing"
	"time"
)

// A probe that told nothing is listed if its samples failed, or for long; not one that has no sample by
// chance, because it is sampled less often.
func TestLacks(t *testing.T) {
	for parts, want := range map[string]string{ // a minute each. F: all samples failed, L: some did, S: there are none
		"......": "[]",
		"..S.SS": "[]",
		".SSS..": "[socket 01-03 3 [net/a] ]",
		"F.....": "[socket 00-00 1 [net/a net/b] late]",
		"F.S.SF": "[socket 00-05 3 [net/a net/b] late]",
		"..LS..": "[socket 03-03 1 [net/a] slow]",
		"..LSSS": "[socket 03-05 3 [net/a] slow]",
		"FSSSSS": "[socket 00-05 6 [net/a net/b] late]",
		"..L.L.": "[]",
	} {
		t.Run(parts, func(t *testing.T) {
			var list []*part
			for minute, how := range parts {
				begin := noon.Add(time.Duration(minute) * time.Minute)
				p := &part{begin: begin, end: begin.Add(10 * time.Second)}
				switch how {
				case 'F':
					p.lacks = []lack{{probe: "socket", why: "late", rules: []string{"net/b", "net/a"}, failed: true}}
					p.late = map[string]string{"socket": "late"}
				case 'S':
					p.lacks = []lack{{probe: "socket", rules: []string{"net/a"}}}
				case 'L':
					p.late = map[string]string{"socket": "slow"}
				}
				list = append(list, p)
			}
			var s Survey
			s.lacking(list)
			got := []string{}
			for _, l := range s.Lacks() {
				got = append(got, fmt.Sprintf("%s %s-%s %d %v %s", l.Probe, l.From.Format("04"), l.To.Format("04"), l.Parts, l.Rules, l.Why))
			}
			if fmt.Sprint(got) != want {
				t.Errorf("%v, want %s", got, want)
			}
		})
	}
}
