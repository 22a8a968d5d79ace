package actor

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// anonymous maps memory outside the heap, so that nothing ever frees or moves
// it. A page takes memory when it is touched.
func anonymous(bytes int) ([]byte, error) {
	m, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", bytes, err)
	}
	_ = unix.Madvise(m, unix.MADV_NOHUGEPAGE)
	return m, nil
}

func touch(m []byte) {
	for i := 0; i < len(m); i += os.Getpagesize() {
		m[i]++
	}
}

// leak has memory grow by so much a second
// while the file LEAKING exists, four times a second. Beside it, NOISE_BYTES
// are allocated and freed again every second, as working programs do.
func leak(args []string) error {
	rate := number(args, 0)
	noise := number(args, 1)
	// All is mapped before: what the program itself allocates in each turn grows
	// in steps, and would hide how evenly it leaks.
	const maxLeaked = 4 << 30
	leaked, err := anonymous(maxLeaked)
	if err != nil {
		return err
	}
	var working []byte
	if noise > 0 {
		if working, err = anonymous(noise); err != nil {
			return err
		}
	}
	var owed, held int
	for turn := 0; ; turn++ {
		time.Sleep(250 * time.Millisecond)
		if unix.Access(args[2], unix.F_OK) == nil {
			// Whole pages: what is smaller shows as one now and then.
			owed += rate / 4
			now := min(owed/os.Getpagesize()*os.Getpagesize(), maxLeaked-held)
			touch(leaked[held : held+now])
			held, owed = held+now, owed-now
		}
		if noise > 0 && turn%2 == 0 {
			touch(working)
			time.Sleep(50 * time.Millisecond)
			if err := unix.Madvise(working, unix.MADV_DONTNEED); err != nil {
				return err
			}
		}
	}
}

// touchMemory holds so many bytes and walks through them again
// and again, one page after the other, like a server whose working set they
// are, and which grow by some bytes a second. Reports the number of pages touched.
func touchMemory(args []string) error {
	bytes, grows := number(args, 0), 0
	if len(args) > 2 {
		grows = number(args, 2)
	}
	// A server does not only touch memory: at most a share of a core.
	pause := time.Millisecond
	if len(args) > 3 {
		pause *= time.Duration(number(args, 3))
	}
	m, err := anonymous(bytes + grows*int(longest/time.Second))
	if err != nil {
		return err
	}
	start := time.Now()
	const chunk = 256 // pages between two looks at the clock
	page := os.Getpagesize()
	var done int64
	last := time.Now()
	for {
		used := bytes + int(float64(grows)*time.Since(start).Seconds())
		for i := 0; i+chunk*page <= min(used, len(m)); i += chunk * page {
			touch(m[i : i+chunk*page])
			done += chunk
			if time.Since(last) > 100*time.Millisecond {
				if err := report(args[1], done); err != nil {
					return err
				}
				last = time.Now()
			}
			time.Sleep(pause)
		}
	}
}
