package cases

import (
	"context"
	"os"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// shopInC has eight threads that serve requests under a lock, and one that writes a
// report now and then. While the file of the first argument is there, that one holds the
// lock meanwhile; the third one says what it does: sleep or compute. With sync it writes
// to the file of the fourth one, waits for that to be on the disk, and always holds the lock.
const shopInC = `#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t stock = PTHREAD_MUTEX_INITIALIZER;
static const char *fault, *work;
static int journal = -1;
static long served;
static volatile unsigned long sum;

static void rest(long ms)
{
	struct timespec t = {0, ms * 1000000};

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void add_up(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		for (int i = 0; i < 100000; i++)
			sum += i;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void *serve(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&stock);
		served++;
		pthread_mutex_unlock(&stock);
		rest(5);
	}
}

static void record(void)
{
	if (write(journal, "sold\n", 5) != 5 || fdatasync(journal))
		perror("journal");
}

static void *report(void *unused)
{
	prctl(PR_SET_NAME, "reporter");
	for (;;) {
		int held = journal >= 0 || !access(fault, F_OK);

		if (held)
			pthread_mutex_lock(&stock);
		if (journal >= 0)
			record();
		else if (strcmp(work, "compute"))
			rest(200);
		else
			add_up(held ? 200 : 2);
		if (held)
			pthread_mutex_unlock(&stock);
		rest(20);
	}
}

int main(int argc, char **argv)
{
	pthread_t t;
	FILE *out = fopen(argv[2], "w");

	fault = argv[1];
	work = argv[3];
	if (argc > 4)
		journal = open(argv[4], O_CREAT | O_WRONLY | O_APPEND, 0600);
	for (int i = 0; i < 8; i++)
		pthread_create(&t, NULL, serve, NULL);
	pthread_create(&t, NULL, report, NULL);
	for (int i = 0; i < 6000; i++) {
		rest(50);
		rewind(out);
		fprintf(out, "%ld\n", served);
		fflush(out);
	}
	return 0;
}
`

// bankInC has two threads that move money between two accounts, each of which has a
// lock, and two that look at one. While the file of the first argument is there the
// second one takes the locks in the other order.
const bankInC = `#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t account[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static const char *fault;
static long moved;

static void rest(long ms)
{
	struct timespec t = {0, ms * 1000000};

	nanosleep(&t, NULL);
}

static void *move(void *number)
{
	long n = (long)number;

	prctl(PR_SET_NAME, n ? "transfer-2" : "transfer-1");
	for (;;) {
		int from = n && !access(fault, F_OK);

		pthread_mutex_lock(&account[from]);
		rest(2);
		pthread_mutex_lock(&account[!from]);
		moved++;
		pthread_mutex_unlock(&account[!from]);
		pthread_mutex_unlock(&account[from]);
		rest(2);
	}
}

static void *look(void *number)
{
	for (;;) {
		pthread_mutex_lock(&account[(long)number]);
		pthread_mutex_unlock(&account[(long)number]);
		rest(10);
	}
}

int main(int argc, char **argv)
{
	pthread_t t;
	FILE *out = fopen(argv[2], "w");

	fault = argv[1];
	for (long i = 0; i < 2; i++) {
		pthread_create(&t, NULL, move, (void *)i);
		pthread_create(&t, NULL, look, (void *)i);
	}
	for (int i = 0; i < 6000; i++) {
		rest(50);
		rewind(out);
		fprintf(out, "%ld\n", moved);
		fflush(out);
	}
	return 0;
}
`

// poolInC has 32 threads that wait for jobs in a condition, as thread pools do, and
// gives them 2,000 a second.
const poolInC = `#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t jobs = PTHREAD_COND_INITIALIZER;
static long waiting, done;

static void *work(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!waiting)
			pthread_cond_wait(&jobs, &lock);
		waiting--;
		done++;
		pthread_mutex_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	pthread_t t;
	FILE *out = fopen(argv[2], "w");
	struct timespec pause = {0, 1000000};

	for (int i = 0; i < 32; i++)
		pthread_create(&t, NULL, work, NULL);
	for (int i = 0; i < 300000; i++) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		waiting += 2;
		pthread_cond_broadcast(&jobs);
		pthread_mutex_unlock(&lock);
		if (i % 50)
			continue;
		rewind(out);
		fprintf(out, "%ld\n", done);
		fflush(out);
	}
	return 0;
}
`

var compilerNeeds = env.Needs{Root: true, Packages: []string{"gcc", "libc6-dev"}, Commands: []string{"gcc"}}

// compiled builds a program in C by that name, and starts it with the files "fault" and
// "report" and more arguments.
func compiled(ctx context.Context, e *env.Env, opts env.Options, name, source string, more ...string) (*env.Proc, error) {
	file, err := e.WriteFile(name+".c", source)
	if err != nil {
		return nil, err
	}
	if _, err := e.Run(ctx, "gcc", "-g", "-O1", "-pthread", "-o", e.Path(name), file); err != nil {
		return nil, err
	}
	p, err := e.StartWith(opts, e.Path(name), append([]string{e.Path("fault"), e.Path("report")}, more...)...)
	if err != nil {
		return nil, err
	}
	return p, load.UntilReported(ctx, e, "report")
}

// reportedAs measures by how much the number in "report" grows a second.
func reportedAs(unit string) func(context.Context, *env.Env, time.Duration) (load.Measurement, error) {
	return func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
		rates, err := load.ReportedRate(ctx, e, d, "report")
		if err != nil {
			return load.Measurement{}, err
		}
		return load.Measurement{Unit: unit, Value: rates[0]}, nil
	}
}

func injectFault(_ context.Context, e *env.Env) error {
	_, err := e.WriteFile("fault", "")
	return err
}

func procLockContention(variant, work, title, says string) Case {
	return Case{
		ID: "proc/lock-contention" + variant, Title: title,
		Rule: "proc/lock-contention", Kind: "process", Name: "shop", Says: says, Needs: compilerNeeds,
		Setup: func(ctx context.Context, e *env.Env) error {
			_, err := compiled(ctx, e, env.Options{}, "shop", shopInC, work)
			return err
		},
		Inject:  injectFault,
		Fix:     func(ctx context.Context, e *env.Env) error { return os.Remove(e.Path("fault")) },
		Measure: reportedAs("requests/s"),
	}
}

func procLockSleeping() Case {
	return procLockContention("", "sleep", "a thread of a server sleeps while it holds the lock that all others need", "thread reporter .* holds it while it sleeps in clock_nanosleep")
}

func procDeadlock() Case {
	var bank *env.Proc
	return Case{
		ID: "proc/deadlock", Title: "two threads take two locks in different order",
		Rule: "proc/deadlock", Kind: "process", Name: "bank", Says: "transfer-[12].* and transfer-[12]", Needs: compilerNeeds,
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			bank, err = compiled(ctx, e, env.Options{}, "bank", bankInC)
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			if err := injectFault(ctx, e); err != nil {
				return err
			}
			env.Sleep(ctx, time.Second)
			return ctx.Err()
		},
		Fix: func(ctx context.Context, e *env.Env) (err error) {
			if err := os.Remove(e.Path("fault")); err != nil {
				return err
			}
			bank.Stop()
			bank, err = compiled(ctx, e, env.Options{}, "bank", bankInC)
			return err
		},
		Measure: reportedAs("transfers/s"),
	}
}

// controlIdleThreads has a pool whose threads mostly wait for work, which is a futex as
// well.
func controlIdleThreads() Case {
	return Case{
		ID: "control/idle-threads", Title: "32 threads of a pool wait for 2,000 jobs a second", Needs: compilerNeeds,
		NotEven: []string{"proc/lock-contention", "proc/deadlock"},
		Setup: func(ctx context.Context, e *env.Env) error {
			_, err := compiled(ctx, e, env.Options{}, "pool", poolInC)
			return err
		},
		Measure: reportedAs("jobs/s"),
	}
}
