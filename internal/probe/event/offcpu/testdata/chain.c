/*
 * A chain of functions of which the innermost waits, in a way that is asked for, 30 ms a
 * time, for as long as its parent lives or some seconds: chain WAY [DEPTH]. With a DEPTH it
 * calls itself so often before, with a kilobyte of stack each.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define ROUNDS 300

static const struct timespec pause_ = {.tv_nsec = 30000000};
static int pipes[2], word = 2;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int done, held;
static volatile char *last;

static void *writes(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		nanosleep(&pause_, 0);
		if (write(pipes[1], "x", 1) != 1)
			break;
	}
	return unused;
}

static void *holds(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		held = 1;
		nanosleep(&pause_, 0);
		held = 0;
		pthread_mutex_unlock(&mutex);
		usleep(2000);
	}
	return unused;
}

APART int chain_waits(const char *way)
{
	char c = 0;

	switch (way[0]) {
	case 's':
		nanosleep(&pause_, 0);
		break;
	case 'f':
		syscall(SYS_futex, &word, FUTEX_WAIT, 2, &pause_, 0, 0);
		break;
	case 'w': /* for ever, as for a lock */
		syscall(SYS_futex, &word, FUTEX_WAIT, 2, 0, 0, 0);
		break;
	case 'r':
		c = read(pipes[0], &c, 1);
		break;
	case 'm':
		while (!held)
			usleep(500);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		break;
	}
	return done += c;
}

APART int chain_inner(const char *way)
{
	int n = chain_waits(way) + 1;

	return n + done;
}

APART int chain_deep(const char *way, int depth)
{
	char frame[1000];
	int n;

	memset(frame, depth, sizeof(frame));
	last = frame;
	n = depth ? chain_deep(way, depth - 1) : chain_inner(way);
	return n + last[0] + frame[n & 255];
}

APART int chain_outer(const char *way, int depth)
{
	int n = depth ? chain_deep(way, depth) : chain_inner(way);

	return n + done * 2;
}

int main(int argc, char **argv)
{
	pthread_t other;
	int n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc < 2 || pipe(pipes))
		return 1;
	if (argv[1][0] == 'r')
		pthread_create(&other, 0, writes, 0);
	if (argv[1][0] == 'm')
		pthread_create(&other, 0, holds, 0);
	for (int i = 0; i < ROUNDS; i++)
		n += chain_outer(argv[1], argc > 2 ? atoi(argv[2]) : 0);
	return n == 1;
}
