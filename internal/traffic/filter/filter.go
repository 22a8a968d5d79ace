// Package filter chooses transactions by an expression of the Common Expression
// Language (https://cel.dev), compiled once and evaluated for each transaction.
package filter

import (
	"fmt"
	"strings"
	"sync/atomic"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types/ref"

	"rtrail/internal/nearest"
	"rtrail/internal/packet/rt"
)

// longest bounds an expression: nobody types more.
const longest = 16 << 10

// Filter is a compiled expression. It may be used by several goroutines.
type Filter struct {
	program   cel.Program
	undecided atomic.Uint64
}

// Compile compiles an expression. The error says where it is wrong and lists
// the variables.
func Compile(expression string) (*Filter, error) {
	if len(expression) > longest {
		return nil, fmt.Errorf("the filter is %d bytes long; the longest is %d", len(expression), longest)
	}
	// Who compares milliseconds writes 1, not 1.0.
	options := []cel.EnvOption{cel.CrossTypeNumericComparisons(true)}
	for _, v := range variables {
		options = append(options, cel.Variable(v.name, v.kind))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("making the language of filters: %w", err)
	}
	ast, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		return nil, explain(expression, issues)
	}
	if ast.OutputType() != cel.BoolType {
		return nil, fmt.Errorf("the filter %q gives %s, not true or false: compare it with something, as in rt > duration(\"10ms\")", expression, ast.OutputType())
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, fmt.Errorf("compiling the filter %q: %w", expression, err)
	}
	return &Filter{program: program}, nil
}

// explain words what is wrong: the place, the reason, the names there are.
func explain(expression string, issues *cel.Issues) error {
	first := issues.Errors()[0]
	where := fmt.Sprintf("column %d", first.Location.Column()+1)
	if line := first.Location.Line(); line > 1 {
		where = fmt.Sprintf("line %d, %s", line, where)
	}
	reason, hint := first.Message, ""
	if rest, ok := strings.CutPrefix(reason, "undeclared reference to '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		reason, hint = fmt.Sprintf("there is no %q", name), nearest.Hint(name, Names())
	}
	reason, _, _ = strings.Cut(reason, "\n")
	if _, kinds, ok := strings.Cut(reason, " applied to '("); ok && hint == "" {
		hint = otherwise(kinds)
	}
	return fmt.Errorf("the filter %q is wrong at %s: %s%s; variables: %s", expression, where, reason, hint, strings.Join(Names(), ", "))
}

// otherwise says how to write a number that is compared with another kind.
func otherwise(kinds string) string {
	switch whole := strings.Contains(kinds, "int"); {
	case whole && strings.Contains(kinds, "duration"):
		return ` (a time is written as duration("10ms"))`
	case whole && strings.Contains(kinds, "double"):
		return " (write 1.0 for 1: the other number may have a fraction)"
	}
	return ""
}

// Matcher makes the test of one goroutine.
func (f *Filter) Matcher() func(*rt.Transaction) bool {
	a := &activation{}
	return func(t *rt.Transaction) bool {
		a.t = t
		out, _, err := f.program.Eval(a)
		if err != nil {
			f.undecided.Add(1)
			return false
		}
		return isTrue(out)
	}
}

func isTrue(v ref.Val) bool {
	is, ok := v.Value().(bool)
	return ok && is
}

// Undecided counts transactions for which the expression had no value, because
// it asks for something that is not known of them. They are not kept.
func (f *Filter) Undecided() uint64 { return f.undecided.Load() }
