// Command stacks measures how fast `rtrail stacks` counts identical stacks, and
// beside it, in the same run, pt-pmp of the Percona Toolkit and cat.
//
//	go run ./internal/measure/stacks [-rtrail bin/rtrail] [-size 500] [-rounds 3] [-pmp=false]
//
// The text is made of real dumps of a MariaDB server and of dumps in the form
// of MySQL 5.6, over and over, with other addresses and thread ids each time.
// It is made in a temporary directory and removed. It stays in the page cache
// while it is read, which is what is measured.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	rtrail := flag.String("rtrail", "bin/rtrail", "the program to measure")
	dir := flag.String("dir", os.TempDir(), "where the text is made")
	size := flag.Int64("size", 500, "of the text, in MB")
	rounds := flag.Int("rounds", 3, "how often it is read; the best counts")
	pmp := flag.Bool("pmp", true, "measure pt-pmp too")
	seeds := flag.String("seeds", "internal/stack/testdata", "where the dumps are")
	flag.Parse()
	if err := run(*rtrail, *dir, *seeds, *size*1e6, *rounds, *pmp); err != nil {
		fmt.Fprintln(os.Stderr, "stacks:", err)
		os.Exit(1)
	}
}

func run(rtrail, dir, seeds string, size int64, rounds int, pmp bool) error {
	dir, err := os.MkdirTemp(dir, "rtrail-stacks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, unix.SIGTERM)
	go func() {
		<-stop
		os.RemoveAll(dir)
		os.Exit(1)
	}()
	file := filepath.Join(dir, "stacks.txt")
	if err := write(file, seeds, size); err != nil {
		return err
	}
	fmt.Printf("%-34s %10s %10s %10s\n", fmt.Sprintf("%.0f MB of gdb stacks", float64(size)/1e6), "seconds", "CPU s", "memory MB")
	if err := measure("cat >/dev/null", rounds, "cat", file); err != nil {
		return err
	}
	if err := measure("rtrail stacks", rounds, rtrail, "stacks", file); err != nil {
		return err
	}
	if err := measure("rtrail stacks --pmp", rounds, rtrail, "stacks", "--pmp", file); err != nil {
		return err
	}
	if !pmp {
		return nil
	}
	if _, err := exec.LookPath("pt-pmp"); err != nil {
		return fmt.Errorf("pt-pmp is not installed: scripts/packages percona-toolkit, or -pmp=false")
	}
	// Once: it takes its time.
	return measure("pt-pmp", 1, "pt-pmp", file)
}

// write makes the text: every copy of a dump has other addresses and ids.
func write(path, seeds string, size int64) error {
	var dumps [][]byte
	for _, name := range []string{"mysql-5.6.constructed.gdb", "mariadb-10.11.gdb"} {
		d, err := os.ReadFile(filepath.Join(seeds, name))
		if err != nil {
			return err
		}
		dumps = append(dumps, d)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for written, copies := int64(0), 0; written < size; copies++ {
		d := dumps[copies%len(dumps)]
		d = bytes.ReplaceAll(d, []byte("0x00007f"), []byte("0x00007"+strconv.FormatInt(int64(copies%16), 16)))
		d = bytes.ReplaceAll(d, []byte("(LWP 4"), []byte("(LWP "+strconv.Itoa(4+copies%5)))
		n, err := w.Write(d[:min(int64(len(d)), size-written)])
		if err != nil {
			return err
		}
		written += int64(n)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// measure runs a command several times and prints its best time.
func measure(name string, rounds int, command string, args ...string) error {
	best, cpu, memory := time.Duration(0), time.Duration(0), int64(0)
	for range rounds {
		cmd := exec.Command(command, args...)
		var problems bytes.Buffer
		cmd.Stderr = &problems
		began := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("running %s: %w\n%s", name, err, problems.String())
		}
		took := time.Since(began)
		if best == 0 || took < best {
			best, cpu = took, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
		}
		// KB on Linux (getrusage).
		memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	fmt.Printf("%-34s %10.2f %10.2f %10.0f\n", name, best.Seconds(), cpu.Seconds(), float64(memory)/1024)
	return nil
}
