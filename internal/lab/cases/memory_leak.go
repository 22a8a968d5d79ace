package cases

import (
	"context"

	"rtrail/internal/lab/env"
)

// memLeakTraced is a leak whose allocations are followed.
func memLeakTraced() Case {
	pid := 0
	c := memLeak("mem/leak+traced", "a service in C whose sessions are never freed, with --alloc", 0, func(e *env.Env) (*env.Proc, error) {
		service, err := e.Start(e.Path("leaky-service"), e.Path("leaking"))
		if err == nil {
			pid = service.PID
		}
		return service, err
	})
	c.Needs = env.Needs{Root: true, Packages: []string{"gcc", "libc6-dev"}, Commands: []string{"gcc"}}
	c.Says = `new_session \(.*leaky\.c:\d+\)`
	c.Alloc = func() int { return pid }
	setup := c.Setup
	c.Setup = func(ctx context.Context, e *env.Env) error {
		source, err := e.WriteFile("leaky.c", sessionsInC)
		if err != nil {
			return err
		}
		if _, err := e.Run(ctx, "gcc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", e.Path("leaky-service"), source); err != nil {
			return err
		}
		return setup(ctx, e)
	}
	return c
}

// sessionsInC serves a thousand requests a second: a session and a larger page each.
// While the file is there, sessions are forgotten.
const sessionsInC = `#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static char *new_session(void)
{
	return memset(malloc(5000), 1, 5000);
}

__attribute__((noinline)) static char *new_page(void)
{
	return memset(malloc(50000), 1, 50000);
}

int main(int argc, char **argv)
{
	for (long turn = 0; turn < 200000; turn++) {
		int leaking = access(argv[1], F_OK) == 0;

		for (int i = 0; i < 2; i++) {
			char *session = new_session(), *page = new_page();
			volatile char seen = session[7] + page[8];

			(void)seen;
			free(page);
			if (!leaking)
				free(session);
		}
		usleep(1800);
	}
	return argc < 2;
}
`
