package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	injected := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	r := labResult{Pass: true, Injected: injected, Fixed: injected.Add(40 * time.Second)}
	at := func(seconds int, event, fault, rule string) took {
		return took{Took: injected.Add(time.Duration(seconds) * time.Second), Event: event, Fault: fault, Rule: rule, Subject: "db1/filesystem//tmp/lab/spool"}
	}
	elsewhere := at(12, "began", "1", "disk/full")
	elsewhere.Subject = "db1/filesystem//home"
	for _, c := range []struct {
		name    string
		notices []took
		wrong   string
	}{
		{"as it should be", []took{at(12, "began", "1", "disk/full"), at(65, "ended", "1", "disk/full")}, ""},
		{"with an allowed one", []took{at(12, "began", "1", "disk/full"), at(12, "began", "2", "proc/uninterruptible"), at(65, "ended", "1", "disk/full"), at(65, "ended", "2", "proc/uninterruptible")}, ""},
		{"nothing", nil, "no notice of disk/full"},
		{"late", []took{at(31, "began", "1", "disk/full"), at(65, "ended", "1", "disk/full")}, "told after 31 s"},
		{"no end", []took{at(12, "began", "1", "disk/full")}, "no all-clear"},
		{"ended while it was there", []took{at(12, "began", "1", "disk/full"), at(35, "ended", "1", "disk/full")}, "all-clear 5 s before the fix"},
		{"twice", []took{at(12, "began", "1", "disk/full"), at(22, "began", "2", "disk/full"), at(65, "ended", "1", "disk/full")}, "+22 s: began"},
		{"another one", []took{at(12, "began", "2", "cpu/saturated"), at(22, "began", "1", "disk/full"), at(65, "ended", "1", "disk/full")}, "+12 s: began"},
		{"of another filesystem", []took{elsewhere, at(65, "ended", "1", "disk/full")}, "no notice of disk/full"},
		{"another cause", []took{at(12, "began", "1", "disk/full"), at(22, "changed", "1", "disk/full"), at(65, "ended", "1", "disk/full")}, "+22 s: changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := verdict{entry: entry{Case: "disk/full", Rule: "disk/full", Kind: "filesystem", Name: ".*/spool", AllowOthers: []string{"proc/uninterruptible"}}}
			v.judge(r, c.notices)
			if got := strings.Join(v.wrong, "; "); c.wrong == "" && got != "" || !strings.Contains(got, c.wrong) {
				t.Errorf("%q, want %q", got, c.wrong)
			}
			if (c.wrong == "") != strings.HasPrefix(v.String(), "pass") {
				t.Error(v)
			}
		})
	}
}

func TestAbout(t *testing.T) {
	for _, c := range []struct {
		kind, name, key string
		want            bool
	}{
		{"process", "nginx", "db1/process/nginx", true},
		{"process", "nginx", "db1/process/nginx in shop.service", true},
		{"process", `stress-ng-cpu ×\d+`, "db1/process/stress-ng-cpu", true},
		{"process", "nginx", "db1/process/python3", false},
		{"listener", "nginx", "db1/listener/nginx:80 in shop.service", true},
		{"listener", "nginx", "db1/process/nginx", false},
		{"peer", `10\.0\.0\.1`, "/peer/10.0.0.1", true},
		{"", "", "db1/host/db1", true},
	} {
		if got := (entry{Kind: c.kind, Name: c.name}).about(c.key); got != c.want {
			t.Errorf("%s %s of %s: %v", c.kind, c.name, c.key, got)
		}
	}
}

// Controls prove something only if they pass, long enough, and nothing is told of them.
func TestControls(t *testing.T) {
	dir := t.TempDir()
	rtrail := filepath.Join(dir, "rtrail")
	script := `#!/bin/sh
sleep 0.02
case $3 in
control/good) echo '{"pass": true}' ;;
control/bad) echo '{"pass": false, "why": "the load did not start"}' ;;
*) echo '{"skipped": true, "why": "no such program"}' ;;
esac
`
	if err := os.WriteFile(rtrail, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	notice := func(rule string) string {
		b, err := json.Marshal(took{Took: time.Now().Add(time.Hour), Event: "began", Fault: "1", Rule: rule})
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	for i, c := range []struct {
		name, controls, notices string
		wrong                   string
	}{
		{"silent", "control/good", "", ""},
		{"one is skipped", "control/none control/good", "", ""},
		{"one fails", "control/bad control/good", "", "controls failed"},
		{"all are skipped", "control/none", "", "controls passed for 0s, not 50ms"},
		{"there are none", "", "", "controls passed for 0s, not 50ms"},
		{"a notice", "control/good", notice("disk/full"), "there were notices of controls"},
		{"one that is ignored", "control/good", notice(steal), ""},
	} {
		w := &watching{file: filepath.Join(dir, fmt.Sprint(i))}
		if err := os.WriteFile(w.file, []byte(c.notices), 0o600); err != nil {
			t.Fatal(err)
		}
		var list []entry
		for _, name := range strings.Fields(c.controls) {
			list = append(list, entry{Case: name})
		}
		p := proof{rtrail: rtrail, ignore: steal, controls: 50 * time.Millisecond}
		r, err := p.control(t.Context(), w, list)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.wrong(p.controls), "; "); got != c.wrong {
			t.Errorf("%s: %q, want %q", c.name, got, c.wrong)
		}
	}
}
