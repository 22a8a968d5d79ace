package cases

import (
	"context"
	"fmt"
	"os"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// cpuHotFunction has a program look for words in a list every millisecond. While the
// file "grown" is there the list is a long one, and that is all it does.
func cpuHotFunction(variant, language, name, function string, start func(context.Context, *env.Env) error) Case {
	return Case{
		ID:             "cpu/hot-function" + variant,
		Title:          "a program " + language + " that searches a list which has grown",
		Rule:           "cpu/hot-function",
		Kind:           "process",
		Name:           name,
		Says:           function + ` \(.*[\w.]+:\d+\)`,
		AtMostPossible: "nobody is seen waiting: the program may be there to compute",
		Needs:          env.Needs{Root: true, Packages: []string{"gcc", "libc6-dev"}, Commands: []string{"gcc"}},
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := start(ctx, e); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "words")
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			_, err := e.WriteFile("grown", "")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error { return os.Remove(e.Path("grown")) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			rates, err := load.ReportedRate(ctx, e, d, "words")
			if err != nil {
				return load.Measurement{}, err
			}
			return load.Measurement{Unit: "words/s", Value: rates[0]}, nil
		},
	}
}

const wordsInC = `#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { GROWN = 4000000, FEW = 1000 };

__attribute__((noinline)) static long find_word(const int *list, long n, int word)
{
	for (long i = 0; i < n; i++)
		if (list[i] == word)
			return i;
	return -1;
}

int main(int argc, char **argv)
{
	int *list = malloc(GROWN * sizeof(*list));
	FILE *report = fopen(argv[2], "w");
	struct timespec next, now;
	volatile long found = 0;

	if (!list || !report)
		return 1;
	for (int i = 0; i < GROWN; i++)
		list[i] = i;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long turn = 1; turn < 200000; turn++) {
		long n = access(argv[1], F_OK) ? FEW : GROWN;

		found += find_word(list, n, n - 1);
		rewind(report);
		fprintf(report, "%ld\n", turn);
		fflush(report);
		if ((next.tv_nsec += 1000000) >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > next.tv_sec || (now.tv_sec == next.tv_sec && now.tv_nsec > next.tv_nsec))
			next = now;
		else
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return 0;
}
`

func cpuHotFunctionC() Case {
	return cpuHotFunction("", "in C", "word-find", "find_word", findWordsInC)
}

func findWordsInC(ctx context.Context, e *env.Env) error {
	source, err := e.WriteFile("words.c", wordsInC)
	if err != nil {
		return err
	}
	if _, err := e.Run(ctx, "gcc", "-g", "-O1", "-o", e.Path("word-find"), source); err != nil {
		return err
	}
	_, err = e.Start(e.Path("word-find"), e.Path("grown"), e.Path("words"))
	return err
}

func findWordsInGo(_ context.Context, e *env.Env) error {
	_, err := load.StartActor(e, env.Options{}, "word-find", "find-words", e.Path("grown"), e.Path("words"))
	return err
}

const wordsInJavaScript = `const fs = require('fs');
const [grown, report] = process.argv.slice(2);
const out = fs.openSync(report, 'w');
const list = Int32Array.from({length: 4000000}, (_, i) => i);
function findWord(n, word) {
	for (let i = 0; i < n; i++)
		if (list[i] === word)
			return i;
	return -1;
}
let turns = 0, next = performance.now();
function turn() {
	const n = fs.existsSync(grown) ? list.length : 1000;
	findWord(n, n - 1);
	fs.writeSync(out, String(++turns), 0);
	next = Math.max(next + 1, performance.now());
	const wait = next - performance.now();
	if (turns < 200000)
		wait > 0 ? setTimeout(turn, wait) : setImmediate(turn);
}
turn();
`

// jitHotFunction needs Node.js, which is large.
func jitHotFunction() Case {
	c := cpuHotFunction("+node", "in JavaScript", "node", "findWord", func(ctx context.Context, e *env.Env) error {
		source, err := e.WriteFile("words.js", wordsInJavaScript)
		if err != nil {
			return err
		}
		// The compiler would put the function into its caller, which then is the hot one.
		p, err := e.Start("node", "--perf-basic-prof", "--no-turbo-inlining", source, e.Path("grown"), e.Path("words"))
		if err != nil {
			return err
		}
		e.Defer("remove the names of what node compiled", func() error {
			return os.Remove(fmt.Sprintf("/tmp/perf-%d.map", p.PID))
		})
		return nil
	})
	c.Needs = env.Needs{Root: true, Packages: []string{"nodejs"}, Commands: []string{"node"}}
	c.Extra = true
	return c
}
