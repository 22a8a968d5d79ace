// Command cmd writes made-up captures: the big ones by name, or all those of
// which the truth is known, with the truth beside them.
//
//	go run ./internal/packet/generate/cmd -load A -o a.pcap
//	go run ./internal/packet/generate/cmd -truths DIR
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"rtrail/internal/packet/generate"
)

func main() {
	load := flag.String("load", "", "big capture to write: A, B, C or D")
	out := flag.String("o", "-", "file to write the big capture to; -: standard output")
	times := flag.Int("times", 1, "write it so many times as long")
	seed := flag.Uint64("seed", 1, "seed of what is random")
	flag.Parse()
	if err := run(*load, *out, *times, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(load, out string, times int, seed uint64) error {
	l, err := generate.LoadNamed(load)
	if err != nil {
		return err
	}
	f := os.Stdout
	if out != "-" {
		if f, err = os.Create(out); err != nil {
			return fmt.Errorf("write capture: %w", err)
		}
	}
	totals, err := l.Write(f, times, seed)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	return json.NewEncoder(os.Stderr).Encode(totals)
}
