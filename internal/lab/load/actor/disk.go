package actor

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// appendRecords appends a record of 16 KiB a hundred times a
// second and reports how many were written and how many failed. It keeps at
// most 4 MiB, as a log that is rotated.
func appendRecords(args []string) error {
	path, reportTo := args[0], args[1]
	record := make([]byte, 16<<10)
	for i := range record {
		record[i] = 'x'
	}
	var written, failed int64
	for turn := 0; ; turn++ {
		if err := appendTo(path, record); err != nil {
			if failed == 0 {
				fmt.Fprintln(os.Stderr, err)
			}
			failed++
		} else {
			written++
		}
		if info, err := os.Stat(path); err == nil && info.Size() > 4<<20 {
			_ = os.Remove(path)
		}
		if turn%10 == 0 {
			if err := report(reportTo, written, failed); err != nil {
				return err
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func appendTo(path string, record []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(record); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// createFiles creates a small file twenty times a second, keeps
// the newest five and reports how many were created and how many failed.
func createFiles(args []string) error {
	dir, reportTo := args[0], args[1]
	var created, failed int64
	for turn := 0; ; turn++ {
		err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("session-%d", turn)), []byte("x"), 0o644)
		if err != nil {
			if failed == 0 {
				fmt.Fprintln(os.Stderr, err)
			}
			failed++
		} else {
			created++
		}
		_ = os.Remove(filepath.Join(dir, fmt.Sprintf("session-%d", turn-5)))
		if err := report(reportTo, created, failed); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// rewriteFile writes a record and syncs it, with a pause between two; reports how many.
func rewriteFile(args []string) error {
	path, pause, reportTo := args[0], time.Duration(number(args, 1))*time.Millisecond, args[2]
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	var written int64
	for {
		if _, err := f.WriteAt([]byte("a record of this service\n"), 0); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		written++
		if err := report(reportTo, written); err != nil {
			return err
		}
		time.Sleep(pause)
	}
}

// readDirect reads 4 KiB from somewhere in the file, past the
// page cache, fifty times a second at most; reports how many reads were done and how many failed.
func readDirect(args []string) error {
	path, reportTo := args[0], args[1]
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// Direct reads need memory aligned as a page is.
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	pages := info.Size() / int64(len(page))
	var done, failed int64
	for {
		start := time.Now()
		if _, err := f.ReadAt(page, (done+failed)*7919%pages*int64(len(page))); err != nil {
			failed++
		} else {
			done++
		}
		if err := report(reportTo, done, failed); err != nil {
			return err
		}
		time.Sleep(time.Until(start.Add(20 * time.Millisecond)))
	}
}
