package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"rtrail/internal/report"
)

// finding is one that somebody might act on.
type finding struct {
	Rule       string   `json:"rule"`
	Confidence string   `json:"confidence"`
	Subject    string   `json:"subject"`
	Headline   string   `json:"headline"`
	Evidence   []string `json:"evidence"`
	Under      string   `json:"under,omitempty"` // the rule whose finding explains this one
	Judged     string   `json:"judged,omitempty"`
}

// keyEvidence is how many numbers of a finding are listed.
const keyEvidence = 5

// findingsOf is a finding above possible, and those that it explains.
func findingsOf(f *report.Finding, under string) (list []finding) {
	if f.Confidence != "possible" {
		one := finding{Rule: f.Rule, Confidence: f.Confidence, Subject: f.Subject.Name, Headline: f.Headline, Under: under}
		for i, e := range f.Evidence {
			if i == keyEvidence {
				break
			}
			one.Evidence = append(one.Evidence, e.What)
		}
		list = append(list, one)
	}
	for i := range f.Explains {
		list = append(list, findingsOf(&f.Explains[i], f.Rule)...)
	}
	return list
}

// judgement names a finding for which a person said whether it is right.
type judgement struct{ rule, subject, file string }

// readJudgements reads lines of right or wrong, rule, subject and file, with tabs
// between them; what follows the file is a note. "" is no file.
func readJudgements(path string) (map[judgement]string, error) {
	known := map[judgement]string{}
	if path == "" {
		return known, nil
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read judgements: %w", err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(line, "\t")
		if len(part) < 4 || part[0] != "right" && part[0] != "wrong" {
			return nil, fmt.Errorf("read judgements: line %d of %s is not right or wrong, rule, subject and file with tabs between them", n, path)
		}
		known[judgement{part[1], part[2], part[3]}] = part[0]
	}
	return known, lines.Err()
}
