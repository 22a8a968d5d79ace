package cases

import (
	"context"
	"os"

	"rtrail/internal/lab/env"
)

// counterInC has eight threads that count under a lock, each a hundred times a second.
// While the file of the first argument is there they take a lock that they made
// themselves, by asking for it again and again; one of them holds it while it sleeps.
const counterInC = `#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int taken;
static const char *fault;
static long count;

static void rest(long ms)
{
	struct timespec t = {0, ms * 1000000};

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void take_lock(int *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(lock, __ATOMIC_RELAXED)) {
#ifdef __x86_64__
			__builtin_ia32_pause();
#else
			__asm__ volatile("yield");
#endif
		}
}

static void *work(void *number)
{
	for (;;) {
		if (access(fault, F_OK)) {
			pthread_mutex_lock(&mutex);
			count++;
			pthread_mutex_unlock(&mutex);
			rest(10);
			continue;
		}
		take_lock(&taken);
		count++;
		rest(2);
		__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
	}
}

int main(int argc, char **argv)
{
	pthread_t t;
	FILE *out = fopen(argv[2], "w");

	fault = argv[1];
	for (long i = 0; i < 8; i++)
		pthread_create(&t, NULL, work, (void *)i);
	for (int i = 0; i < 6000; i++) {
		rest(50);
		rewind(out);
		fprintf(out, "%ld\n", count);
		fflush(out);
	}
	return 0;
}
`

func cpuSpinning() Case {
	return Case{
		ID: "cpu/spinning", Title: "eight threads wait in a loop for a lock that one holds while it sleeps",
		Rule: "cpu/spinning", Kind: "process", Name: "counter", Says: `spin in take_lock \(.*counter\.c:\d+\)`, Needs: compilerNeeds,
		Setup: func(ctx context.Context, e *env.Env) error {
			_, err := compiled(ctx, e, env.Options{}, "counter", counterInC)
			return err
		},
		Inject:  injectFault,
		Fix:     func(ctx context.Context, e *env.Env) error { return os.Remove(e.Path("fault")) },
		Measure: reportedAs("counts/s"),
	}
}
