// Command packets measures how fast `rtrail packets` reads captures, and beside
// it, in the same run, tshark and cat; and what capturing costs a server under
// load.
//
//	go run ./internal/measure/packets [-rtrail bin/rtrail] [-rounds 3] [-times 10] [-tshark=false]
//	go run ./internal/measure/packets -live [-for 10s]
//
// It makes the captures in a temporary directory (5 GB) and removes them. They
// stay in the page cache while they are read, which is what is measured.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	var b comparison
	flag.StringVar(&b.rtrail, "rtrail", "bin/rtrail", "the program to measure")
	flag.StringVar(&b.dir, "dir", os.TempDir(), "where the captures are made")
	flag.StringVar(&b.names, "captures", "ABCD", "which captures")
	flag.IntVar(&b.rounds, "rounds", 3, "how often each is read; the best counts")
	flag.IntVar(&b.times, "times", 10, "how many times as long the long capture is")
	flag.BoolVar(&b.tshark, "tshark", true, "measure tshark too: half a minute per capture, 3 GB of memory")
	live := flag.Bool("live", false, "measure capturing a MariaDB server under load instead; as root")
	length := flag.Duration("for", 10*time.Second, "how long each run of the live load is")
	script := flag.String("script", "oltp_point_select", "what sysbench does as the live load: oltp_read_only, oltp_read_write, ...")
	file := flag.String("file", "", "read this capture in this process instead, for profiles")
	cpu := flag.String("cpuprofile", "", "with -file: write a CPU profile")
	heap := flag.String("memprofile", "", "with -file: write a profile of allocations")
	guide := flag.String("renew", "", "write the profile that guides the compiler (cmd/rtrail/packets.pgo) to this file instead")
	flag.Parse()
	var err error
	switch {
	case *file != "":
		err = profiled(*file, *cpu, *heap)
	case *guide != "":
		err = renew(*guide, b.dir)
	case *live:
		err = interruptible(func(stop <-chan os.Signal) error { return capturing(b.rtrail, *script, b.rounds, *length, stop) })
	default:
		err = interruptible(b.run)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "packets:", err)
		os.Exit(1)
	}
}

// interruptible lets what runs clean up when it is told to stop.
func interruptible(run func(stop <-chan os.Signal) error) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, unix.SIGTERM)
	return run(stop)
}
