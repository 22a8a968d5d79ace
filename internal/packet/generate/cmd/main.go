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
	"path/filepath"

	"rtrail/internal/packet/generate"
)

func main() {
	load := flag.String("load", "", "big capture to write: A, B, C or D")
	out := flag.String("o", "-", "file to write the big capture to; -: standard output")
	times := flag.Int("times", 1, "write it so many times as long")
	seed := flag.Uint64("seed", 1, "seed of what is random")
	truths := flag.String("truths", "", "directory to write the known-truth captures to")
	flag.Parse()
	var err error
	switch {
	case *truths != "":
		err = writeTruths(*truths)
	case *times < 1:
		err = fmt.Errorf("-times %d: a capture is at least as long as it is", *times)
	default:
		err = writeLoad(*load, *out, *times, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeLoad writes a big capture, and what is known of it to standard error.
func writeLoad(load, out string, times int, seed uint64) error {
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

// writeTruths writes NAME.pcap and NAME.json for every known-truth capture.
func writeTruths(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write captures: %w", err)
	}
	for _, t := range generate.Truths() {
		f, err := os.Create(filepath.Join(dir, t.Name+".pcap"))
		if err != nil {
			return fmt.Errorf("write capture: %w", err)
		}
		if err := t.Write(f); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("write capture: %w", err)
		}
		b, err := json.MarshalIndent(tell(t), "", "  ")
		if err != nil {
			return fmt.Errorf("write truth: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, t.Name+".json"), append(b, '\n'), 0o644); err != nil {
			return fmt.Errorf("write truth: %w", err)
		}
	}
	return nil
}

// told is a truth in the words of rtrail packets --transactions --json.
type told struct {
	Name         string                `json:"name"`
	Help         string                `json:"help"`
	Transactions []toldTransaction     `json:"transactions"`
	Connections  []generate.Connection `json:"connections"`
}

type toldTransaction struct {
	Start      int64     `json:"start"` // nanoseconds since 1970
	Client     string    `json:"client"`
	Server     string    `json:"server"`
	Proto      string    `json:"proto"`
	Command    string    `json:"command,omitempty"`
	RT         int64     `json:"rt_ns"`
	Upload     int64     `json:"upload_ns"`
	Serve      int64     `json:"server_ns"`
	Download   int64     `json:"download_ns"`
	Retransmit int64     `json:"retransmit_ns"`
	ZeroWindow int64     `json:"zero_window_ns"`
	Frames     [4]uint64 `json:"frames"`
}

func tell(t generate.Truth) told {
	all := told{Name: t.Name, Help: t.Help, Connections: t.Connections}
	for _, x := range t.Transactions {
		all.Transactions = append(all.Transactions, toldTransaction{
			Start: x.Start, Client: x.Client.String(), Server: x.Server.String(), Proto: x.Proto, Command: x.Command,
			RT: int64(x.RT), Upload: int64(x.Upload), Serve: int64(x.Serve), Download: int64(x.Download),
			Retransmit: int64(x.Retransmit), ZeroWindow: int64(x.ZeroWindow), Frames: x.Frames,
		})
	}
	return all
}
