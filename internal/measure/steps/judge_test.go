package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	limit := func(rule, headline string) map[string]any { return map[string]any{"rule": rule, "headline": headline} }
	disk, other := limit("disk/saturated", "vdb is full"), limit("rt/server-slow", "it is slow")
	one := limited{rules: []string{"disk/saturated"}}
	for name, tt := range map[string]struct {
		c       limited
		invalid []string // of the levels; "": valid
		limits  []map[string]any
		wrong   string // "": it passes
	}{
		"first":             {one, []string{"", ""}, []map[string]any{disk, other}, ""},
		"second":            {one, []string{"", ""}, []map[string]any{other, disk}, "named first: rt/server-slow"},
		"nothing":           {one, []string{"", ""}, nil, "nothing is named"},
		"not steady":        {one, []string{"never became steady", ""}, []map[string]any{disk}, ""},
		"other words":       {limited{rules: one.rules, says: "vda"}, []string{""}, []map[string]any{disk}, "named first"},
		"control":           {limited{}, []string{"", ""}, nil, ""},
		"control, accused":  {limited{}, []string{""}, []map[string]any{disk}, "nothing should be"},
		"control, invalid":  {limited{}, []string{"", "hot"}, nil, "invalid: hot"},
		"client":            {limited{invalid: "hot"}, []string{"", "hot load generator"}, nil, ""},
		"client, accused":   {limited{invalid: "hot"}, []string{"", "hot load generator"}, []map[string]any{disk}, "nothing should be"},
		"client, not found": {limited{invalid: "hot"}, []string{"hot load generator", ""}, nil, "want hot"},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []any
			for i, why := range tt.invalid {
				said := []string{}
				if why != "" {
					said = append(said, why)
				}
				runs = append(runs, map[string]any{"threads": 1 << i, "invalid": said})
			}
			report, err := json.Marshal(map[string]any{"environments": []any{map[string]any{"runs": runs, "ladders": []any{map[string]any{"limits": tt.limits}}}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tt.c.judge(report); (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
				t.Error(err)
			}
		})
	}
	for _, bad := range []string{"", "[]", `{"environments":[]}`} {
		if _, err := one.judge([]byte(bad)); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
