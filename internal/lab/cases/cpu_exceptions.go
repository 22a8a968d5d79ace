package cases

import (
	"context"
	"os"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// cpuExceptionStorm has a program parse 1,000 fields each millisecond, those that are no
// number with an exception. While the file "fault" is there all of them are.
func cpuExceptionStorm() Case {
	c := exceptionCase("", "in C++", "importer", func(ctx context.Context, e *env.Env) error {
		source, err := e.WriteFile("importer.cc", importerInCpp)
		if err != nil {
			return err
		}
		if _, err := e.Run(ctx, "g++", "-O1", "-o", e.Path("importer"), source); err != nil {
			return err
		}
		_, err = e.Start(e.Path("importer"), e.Path("fault"), e.Path("batches"))
		return err
	})
	c.Needs = env.Needs{Root: true, Packages: []string{"g++"}, Commands: []string{"g++"}}
	return c
}

// cpuExceptionStormNode needs Node.js, which is large.
func cpuExceptionStormNode() Case {
	c := exceptionCase("+node", "in JavaScript", "node", func(_ context.Context, e *env.Env) error {
		source, err := e.WriteFile("importer.js", importerInJavaScript)
		if err != nil {
			return err
		}
		_, err = e.Start("node", source, e.Path("fault"), e.Path("batches"))
		return err
	})
	c.Needs = env.Needs{Root: true, Packages: []string{"nodejs"}, Commands: []string{"node"}}
	c.Extra = true
	return c
}

func exceptionCase(variant, language, name string, start func(context.Context, *env.Env) error) Case {
	return Case{
		ID: "cpu/exception-storm" + variant, Title: "a program " + language + " throws and catches an exception for each field that is no number",
		Rule: "cpu/exception-storm", Kind: "process", Name: name,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := start(ctx, e); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "batches")
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			_, err := e.WriteFile("fault", "")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error { return os.Remove(e.Path("fault")) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			rates, err := load.ReportedRate(ctx, e, d, "batches")
			if err != nil {
				return load.Measurement{}, err
			}
			return load.Measurement{Unit: "batches/s", Value: rates[0]}, nil
		},
	}
}

// importerInCpp and importerInJavaScript end after two minutes.
const importerInCpp = `#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

__attribute__((noinline)) static int parse(const std::string &field, int depth)
{
	return depth ? parse(field, depth - 1) + 1 : std::stoi(field);
}

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;
	FILE *report = fopen(argv[2], "w");
	auto next = clock::now(), end = next + std::chrono::minutes(2);
	long sum = 0;

	if (!report)
		return 1;
	for (long batch = 1; clock::now() < end; batch++) {
		std::string field = access(argv[1], F_OK) ? "17" : "seventeen";

		for (int i = 0; i < 1000; i++) {
			try {
				sum += parse(field, 8);
			} catch (const std::exception &) {
				sum++;
			}
		}
		rewind(report);
		fprintf(report, "%ld\n", batch);
		fflush(report);
		next = std::max(next + std::chrono::milliseconds(1), clock::now());
		std::this_thread::sleep_until(next);
	}
	return sum == 0;
}
`

const importerInJavaScript = `const fs = require('fs');
const [fault, report] = process.argv.slice(2);
const out = fs.openSync(report, 'w');
const end = performance.now() + 120000;
function parse(field, depth) {
	return depth ? parse(field, depth - 1) : JSON.parse(field);
}
let batches = 0, next = performance.now(), sum = 0;
function batch() {
	const field = fs.existsSync(fault) ? 'seventeen' : '17';
	for (let i = 0; i < 1000; i++) {
		try {
			sum += parse(field, 8);
		} catch (e) {
			sum++;
		}
	}
	fs.writeSync(out, String(++batches), 0);
	next = Math.max(next + 1, performance.now());
	const wait = next - performance.now();
	if (performance.now() < end)
		wait > 0 ? setTimeout(batch, wait) : setImmediate(batch);
}
batch();
`
