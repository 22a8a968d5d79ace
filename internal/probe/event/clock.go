package event

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Clock turns times of the kernel into those of the day.
type Clock struct {
	Monotonic, Boot time.Time     // when the clocks were 0
	Asleep          time.Duration // by how much they differ: the host was suspended
}

// ReadClock compares the clocks.
func ReadClock() (c Clock, err error) {
	var mono, boot unix.Timespec
	if err := errors.Join(unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono), unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot)); err != nil {
		return c, fmt.Errorf("read the clocks of the kernel: %w", err)
	}
	now := time.Now()
	c.Monotonic = now.Add(-time.Duration(mono.Nano())).Round(0)
	c.Boot = now.Add(-time.Duration(boot.Nano())).Round(0)
	c.Asleep = time.Duration(boot.Nano() - mono.Nano()).Truncate(time.Millisecond)
	return c, nil
}

// tick is how exactly the start of a process is known elsewhere: in /proc it is a
// number of hundredths of a second.
const tick = 10 * time.Millisecond

// Started is when a process began, from its start since boot, as exactly as other
// tables have it.
func (c Clock) Started(sinceBoot time.Duration) time.Time {
	return c.Boot.Add(sinceBoot.Truncate(tick))
}
