package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/report"
)

// run is one call of the program. In args, FILE is the evidence, OUT a directory of
// its own, and ID a connection of the capture; runs that name one are left out
// where there is none.
type run struct {
	name string
	args []string
	json bool // standard output is JSON: one document, or one a line
	page string
}

const (
	verdictRun    = "diagnose --json"
	connectionRun = "packets --by connection --json"
)

// runsOf are all ways to look at a kind of evidence. The verdict comes first, then
// what tells a connection.
var runsOf = map[kind][]run{
	capture: runs(
		verdictRun, "diagnose -v", "diagnose --markdown", "diagnose --client-side FILE --server-side",
		connectionRun, "packets", "packets --json",
		"packets --by second", "packets --by connection", "packets --by statement", "packets --by client", "packets --by server",
		"packets --by statement --json", "packets --by client --json", "packets --by server --json",
		"packets --transactions", "packets --transactions --json", "packets --slowest 20 --json", "packets --histogram", "packets --histogram --json",
		`packets --format %T\t%n\t%a\t%95M\t%99M\n`, `packets --filter rt>duration("1ms")||failed`,
		"packets --parquet OUT/parquet --html OUT/page.html",
		"packets --connection ID --all", "packets --extract ID -o OUT/cut.pcapng", "packets --client-side FILE --server-side",
	),
	recorded: runs(verdictRun, "diagnose -v", "diagnose --markdown", "replay"),
	stacks: runs(
		verdictRun, "diagnose -v", "diagnose --markdown", "stacks", "stacks -v", "stacks --pmp", "stacks --collapsed", "stacks --json",
		"stacks --pprof OUT/profile.pb.gz --html OUT/page.html",
	),
	otherKind: runs(verdictRun, "packets", "stacks", "replay"),
}

func runs(lines ...string) (list []run) {
	for _, line := range lines {
		r := run{name: line, args: append(strings.Fields(line), "FILE")}
		r.json = slices.Contains(r.args, "--json")
		if slices.Contains(r.args, "OUT/page.html") {
			r.page = "page.html"
		}
		list = append(list, r)
	}
	return list
}

// runner puts files through their runs.
type runner struct {
	program string
	limits  limits
	only    []string
	scratch string
}

// fault is a run that did not hold.
type fault struct {
	Kind    string `json:"kind"` // crash, hang, memory, output
	Run     string `json:"run"`
	Command string `json:"command"` // as it can be typed
	What    string `json:"what"`
}

// result is what became of a file.
type result struct {
	File     string    `json:"file"`
	Kind     kind      `json:"kind"`
	Runs     int       `json:"runs"`
	Refused  bool      `json:"refused"` // the verdict ended with an error that says why
	Seconds  float64   `json:"slowest_seconds"`
	Memory   int64     `json:"most_memory_bytes"`
	Faults   []fault   `json:"faults"`
	Findings []finding `json:"findings"`
	path     string
}

// file puts one file through the runs of its kind.
func (r *runner) file(ctx context.Context, f *file) result {
	out := result{File: f.name, Kind: f.kind, path: f.path}
	dir, err := os.MkdirTemp(r.scratch, "")
	if err != nil {
		out.Faults = append(out.Faults, fault{Kind: "check", What: err.Error()})
		return out
	}
	defer os.RemoveAll(dir)
	id := ""
	for _, run := range runsOf[f.kind] {
		args, ok := run.filled(f.path, dir, id)
		if !ok || ctx.Err() != nil || !r.asked(run) {
			continue
		}
		end := r.limits.run(ctx, r.program, args, run.json, run.name == verdictRun || run.name == connectionRun)
		out.Runs++
		out.Seconds, out.Memory = max(out.Seconds, end.took.Seconds()), max(out.Memory, end.memory)
		if run.page != "" && end.fault == "" {
			end.checkPage(filepath.Join(dir, run.page))
		}
		if end.fault != "" {
			out.Faults = append(out.Faults, fault{Kind: end.fault, Run: run.name, Command: typed(r.program, args), What: end.what})
		}
		switch run.name {
		case verdictRun:
			out.Refused = end.code == 1
			out.judge(end.stdout)
		case connectionRun:
			id = firstConnection(end.stdout)
		}
	}
	return out
}

// asked says whether a run is among those to be done. What tells a connection is
// part of those that need one.
func (r *runner) asked(run run) bool {
	return len(r.only) == 0 || slices.ContainsFunc(r.only, func(p string) bool { return strings.HasPrefix(run.name, p) })
}

// filled puts names into the arguments; ok is false if one is missing.
func (r run) filled(path, dir, id string) (args []string, ok bool) {
	for _, a := range r.args {
		switch {
		case a == "FILE":
			a = path
		case a == "ID" && id == "":
			return nil, false
		case a == "ID":
			a = id
		case strings.HasPrefix(a, "OUT/"):
			a = filepath.Join(dir, strings.TrimPrefix(a, "OUT/"))
		}
		args = append(args, a)
	}
	return args, true
}

// judge takes the findings out of a verdict.
func (out *result) judge(verdict []byte) {
	var d report.Document
	if json.Unmarshal(verdict, &d) != nil {
		return // no verdict, or one that is cut: the run says why
	}
	for _, f := range d.Findings {
		out.Findings = append(out.Findings, findingsOf(&f, "")...)
	}
	for _, n := range d.NotJudged {
		if strings.HasPrefix(n.Why, "it failed:") {
			out.Faults = append(out.Faults, fault{Kind: "crash", Run: verdictRun, Command: "rtrail diagnose " + out.path, What: n.Rule + " " + n.Why})
		}
	}
}

// firstConnection is the id of a connection with much in it: the first of the list.
func firstConnection(document []byte) string {
	var list struct {
		Connections []struct{ ID int64 }
	}
	if json.Unmarshal(document, &list) != nil || len(list.Connections) == 0 {
		return ""
	}
	return strconv.FormatInt(list.Connections[0].ID, 10)
}

// typed is a command as a person can type it.
func typed(program string, args []string) string {
	words := []string{program}
	for _, a := range args {
		if a == "" || strings.ContainsFunc(a, func(c rune) bool { return !strings.ContainsRune(plain, c) }) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%"

func (f fault) String() string { return fmt.Sprintf("%-7s %s\n        %s", f.Kind, f.What, f.Command) }
