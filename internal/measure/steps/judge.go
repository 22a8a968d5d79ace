package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// document is what is read of `rtrail bench report --json`.
type document struct {
	Environments []struct {
		Runs []struct {
			Threads int      `json:"threads"`
			Invalid []string `json:"invalid"`
		} `json:"runs"`
		Ladders []struct {
			Limits []struct {
				Rule     string `json:"rule"`
				Headline string `json:"headline"`
			} `json:"limits"`
		} `json:"ladders"`
	} `json:"environments"`
}

// judge compares a report with the limit that is known, and says what it names.
func (c *limited) judge(report []byte) (string, error) {
	var d document
	if err := json.Unmarshal(report, &d); err != nil {
		return "", fmt.Errorf("read the report: %w", err)
	}
	if len(d.Environments) != 1 || len(d.Environments[0].Ladders) != 1 || len(d.Environments[0].Runs) == 0 {
		return "", errors.New("the report is not that of one environment and scenario")
	}
	e := &d.Environments[0]
	why := ""
	most, invalid := 0, 0
	for _, r := range e.Runs {
		said := strings.Join(r.Invalid, "; ")
		if said != "" {
			invalid++
			if len(c.rules) == 0 && c.invalid == "" {
				return "", fmt.Errorf("%d clients: invalid: %s", r.Threads, said)
			}
		}
		if r.Threads >= most {
			most, why = r.Threads, said
		}
	}
	if c.invalid != "" && !regexp.MustCompile(c.invalid).MatchString(why) {
		return "", fmt.Errorf("%d clients: invalid: %q, want %s", most, why, c.invalid)
	}
	var all []string
	for _, l := range e.Ladders[0].Limits {
		all = append(all, l.Rule+": "+l.Headline)
	}
	switch {
	case len(c.rules) == 0 && len(all) > 0:
		return "", fmt.Errorf("named, and nothing should be: %s", strings.Join(all, " | "))
	case len(c.rules) == 0 && why == "":
		return "nothing", nil
	case len(c.rules) == 0:
		return "invalid: " + why, nil
	case len(all) == 0:
		return "", errors.New("nothing is named")
	}
	first := e.Ladders[0].Limits[0]
	if !slices.Contains(c.rules, first.Rule) || !regexp.MustCompile(c.says).MatchString(first.Headline) {
		return "", fmt.Errorf("named first: %s", strings.Join(all, " | "))
	}
	if invalid > 0 && c.invalid == "" {
		all = append(all, fmt.Sprintf("(%d of %d levels are invalid)", invalid, len(e.Runs)))
	}
	return strings.Join(all, " | "), nil
}
