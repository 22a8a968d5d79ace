package cases

import (
	"context"
	"os"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// cpuSyscallStorm has a program import 16 KiB of a file each millisecond. While the
// file "fault" is there it reads them byte by byte.
func cpuSyscallStorm() Case {
	return callsCase("cpu/syscall-storm", "a program reads its file byte by byte", "import", "records", "reads 1 byte at a time", "")
}

// cpuSyscallStormPolls has a program wait up to a millisecond for input between its
// turns. While the file "fault" is there it polls 20,000 times without waiting.
func cpuSyscallStormPolls() Case {
	return callsCase("cpu/syscall-storm+poll", "a program polls with timeout 0 instead of waiting", "poll", "turns", "polls without a pause",
		"to look again and again is what some programs are made for")
}

// cpuSyscallStormFails has a program look for its settings once in a millisecond. While the
// file "fault" is there it looks 1,000 times, in a folder without them.
func cpuSyscallStormFails() Case {
	c := callsCase("cpu/syscall-storm+failing", "a program opens a file that is not there, again and again", "look", "lookups", "makes calls of open", "")
	c.AllEvents = true // calls that fail are known if each is counted
	return c
}

func callsCase(id, title, mode, report, says, possible string) Case {
	return Case{
		ID: id, Title: title, Rule: "cpu/syscall-storm", Kind: "process", Name: "importer", Says: says, AtMostPossible: possible,
		Needs: env.Needs{Root: true, Packages: []string{"gcc", "libc6-dev"}, Commands: []string{"gcc"}},
		Setup: func(ctx context.Context, e *env.Env) error {
			source, err := e.WriteFile("importer.c", importerInC)
			if err != nil {
				return err
			}
			if _, err := e.Run(ctx, "gcc", "-O1", "-o", e.Path("importer"), source); err != nil {
				return err
			}
			if _, err := e.Start(e.Path("importer"), mode, e.Path("fault"), e.Path(report), source); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, report)
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			_, err := e.WriteFile("fault", "")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error { return os.Remove(e.Path("fault")) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			rates, err := load.ReportedRate(ctx, e, d, report)
			if err != nil {
				return load.Measurement{}, err
			}
			return load.Measurement{Unit: report + "/s", Value: rates[0]}, nil
		},
	}
}

// importerInC ends after two minutes.
const importerInC = `#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RECORD = 16 << 10 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pause_until(double at)
{
	double left = at - now();
	struct timespec t = {0, left > 0 ? (long)(left * 1e9) : 0};

	if (left > 0)
		nanosleep(&t, NULL);
}

static void import(int in, int at_a_time)
{
	char record[RECORD];
	int have = 0;

	while (have < RECORD) {
		ssize_t n = read(in, record + have, at_a_time < RECORD - have ? at_a_time : RECORD - have);

		if (n > 0)
			have += n;
		else if (lseek(in, 0, SEEK_SET) < 0)
			exit(1);
	}
}

static void wait_for_input(int fault, double until)
{
	struct pollfd none = {-1, POLLIN, 0};

	if (fault)
		for (int i = 0; i < 20000; i++)
			poll(&none, 1, 0);
	else if (now() < until)
		poll(&none, 1, 1);
}

static void look(int fault, const char *there)
{
	for (int i = fault ? 1000 : 1; i > 0; i--) {
		int f = open(fault ? "/nowhere/settings" : there, O_RDONLY);

		if (f >= 0)
			close(f);
	}
}

int main(int argc, char **argv)
{
	FILE *report = fopen(argv[3], "w");
	int in = open(argv[4], O_RDONLY);
	double start = now(), next = start;

	if (!report || in < 0)
		return 1;
	for (long turn = 1; now() < start + 120; turn++) {
		int fault = access(argv[2], F_OK) == 0;

		if (!strcmp(argv[1], "import"))
			import(in, fault ? 1 : RECORD);
		else if (!strcmp(argv[1], "look"))
			look(fault, argv[4]);
		else
			wait_for_input(fault, next);
		rewind(report);
		fprintf(report, "%ld\n", turn);
		fflush(report);
		next += 0.001;
		if (next < now())
			next = now();
		pause_until(next);
	}
	return 0;
}
`
