package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

// drawing is a connection to be shown packet by packet.
type drawing struct {
	id  string
	all bool
}

func (d *drawing) add(f *pflag.FlagSet) {
	f.StringVar(&d.id, "connection", "", "draw one connection, packet by packet: its id, or its client as ADDRESS:PORT")
	f.BoolVar(&d.all, "all", false, "with --connection: every packet, also of long runs of data")
}

func (d *drawing) given() bool { return d.id != "" }

// run draws it. The id is the number of the first packet, so that reading the
// capture once is enough; other names are looked up first.
func (d *drawing) run(ctx context.Context, out io.Writer, files []string) error {
	wanted, err := traffic.ParseWanted(d.id)
	if err != nil {
		return usageError("--connection %v", err)
	}
	var ladder *traffic.Ladder
	found := false
	if wanted.Frame != 0 {
		if ladder, found, err = readLadder(ctx, files, wanted.Frame, d.all); err != nil {
			return err
		}
	}
	if !found {
		list, err := findConnections(ctx, files, []traffic.Wanted{wanted})
		if err != nil {
			return fmt.Errorf("--connection %s: %w", d.id, err)
		}
		if ladder, found, err = readLadder(ctx, files, list[0].ID, d.all); err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("--connection %s: the capture changed while it was read", d.id)
		}
		if wanted.Frame != 0 && wanted.Frame != list[0].ID {
			fmt.Fprintf(out, "packet %d is one of connection %d\n", wanted.Frame, list[0].ID)
		}
	}
	width, _ := terminalWidth(out)
	return traffic.LadderText{Width: width}.Print(out, ladder)
}

func readLadder(ctx context.Context, files []string, id uint64, all bool) (*traffic.Ladder, bool, error) {
	src, err := pcap.Open(files, nil)
	if err != nil {
		return nil, false, err
	}
	defer src.Close()
	return traffic.ReadLadder(ctx, src, id, all)
}

func findConnections(ctx context.Context, files []string, names []traffic.Wanted) ([]traffic.Found, error) {
	src, err := pcap.Open(files, nil)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return traffic.Find(ctx, src, names)
}

// cutting is connections to be copied into a capture of their own.
type cutting struct {
	ids string
	to  string
}

func (c *cutting) add(f *pflag.FlagSet) {
	f.StringVar(&c.ids, "extract", "", "copy only these connections to -o FILE: ids, or clients as ADDRESS:PORT, separated by commas")
	f.StringVarP(&c.to, "output", "o", "", "file for --extract (pcapng, or pcap by its name)")
}

func (c *cutting) given() bool { return c.ids != "" }

// check refuses what would destroy a capture.
func (c *cutting) check(files []string) error {
	if !c.given() {
		return nil
	}
	if c.to == "" {
		return usageError("--extract %s: where to? -o FILE.pcapng", c.ids)
	}
	there, err := os.Stat(c.to)
	if err != nil {
		return nil
	}
	if there.IsDir() {
		return usageError("-o %s: a directory; name a file in it", c.to)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && os.SameFile(info, there) {
			return usageError("-o %s is the capture that is read: it would be destroyed; name another file", c.to)
		}
	}
	return nil
}

func (c *cutting) run(ctx context.Context, stderr io.Writer, files []string) error {
	var names []traffic.Wanted
	for word := range strings.SplitSeq(c.ids, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		n, err := traffic.ParseWanted(word)
		if err != nil {
			return usageError("--extract %v", err)
		}
		names = append(names, n)
	}
	if len(names) == 0 {
		return usageError("--extract %q: no connection named", c.ids)
	}
	found, err := findConnections(ctx, files, names)
	if err != nil {
		return fmt.Errorf("--extract %s: %w", c.ids, err)
	}
	packets, err := c.copy(ctx, files, found)
	if err != nil {
		return fmt.Errorf("writing %s: %w", c.to, err)
	}
	fmt.Fprintf(stderr, "%s: %s packets of %s connections\n", c.to, unit.Count(packets), unit.Count(len(found)))
	return nil
}

// copy writes a new file beside the old one and puts it in its place when it is
// complete.
func (c *cutting) copy(ctx context.Context, files []string, found []traffic.Found) (n uint64, err error) {
	src, err := pcap.Open(files, nil)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	f, err := os.CreateTemp(filepath.Dir(c.to), "."+filepath.Base(c.to)+".*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := pcap.NewWriter(f, pcap.FormatOf(c.to), src.Interfaces)
	if n, err = traffic.Extract(ctx, src, w, found); err != nil {
		if errors.Is(err, pcap.ErrMixedLinks) {
			err = fmt.Errorf("the connections were captured on interfaces of several link types: %w", err)
		}
		return n, err
	}
	if err = w.Close(pcap.Loss{}); err != nil {
		return n, err
	}
	if err = f.Chmod(0o644); err != nil {
		return n, err
	}
	if err = f.Close(); err != nil {
		return n, err
	}
	return n, os.Rename(f.Name(), c.to)
}
