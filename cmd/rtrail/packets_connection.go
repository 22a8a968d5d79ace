package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"rtrail/internal/outfile"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/session"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

// drawing is a connection to be shown packet by packet.
type drawing struct {
	id  string
	all bool
	decodeAs
}

func (d *drawing) add(f *pflag.FlagSet) {
	f.StringVar(&d.id, "connection", "", "draw one connection, packet by packet: its id, or its client as ADDRESS:PORT")
	f.BoolVar(&d.all, "all", false, "with --connection: every packet, also of long runs of data")
}

func (d *drawing) given() bool { return d.id != "" }

// run draws it. The id is the number of the first packet, so that reading the
// capture once is enough; other names are looked up first.
func (d *drawing) run(ctx context.Context, out io.Writer, packets *session.Packets) error {
	wanted, err := traffic.ParseWanted(d.id)
	if err != nil {
		return usageError("--connection %v", err)
	}
	var ladder *traffic.Ladder
	found := false
	read := func(id uint64) error {
		return packets.Read(ctx, func(ctx context.Context, src pcap.Source) (err error) {
			ladder, found, err = traffic.ReadLadder(ctx, src, id, d.all, d.decodeAs)
			return err
		})
	}
	if wanted.Frame != 0 {
		if err := read(wanted.Frame); err != nil {
			return err
		}
	}
	if !found {
		list, err := findConnections(ctx, packets, []traffic.Wanted{wanted})
		if err != nil {
			return fmt.Errorf("--connection %s: %w", d.id, err)
		}
		if err := read(list[0].ID); err != nil {
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
	return traffic.LadderText{Width: width, Prose: lineWidth(out)}.Print(out, ladder)
}

func findConnections(ctx context.Context, packets *session.Packets, names []traffic.Wanted) (found []traffic.Found, err error) {
	err = packets.Read(ctx, func(ctx context.Context, src pcap.Source) (err error) {
		found, err = traffic.Find(ctx, src, names)
		return err
	})
	return found, err
}

// cutting is connections to be copied into a capture of their own.
type cutting struct {
	ids string
	to  string
}

func (c *cutting) add(f *pflag.FlagSet) {
	f.StringVar(&c.ids, "extract", "", "copy only these connections to -o FILE: ids, or clients as ADDRESS:PORT, comma-separated")
	f.StringVarP(&c.to, "output", "o", "", "file for --extract (pcapng, or pcap by its name; -: standard output)")
}

func (c *cutting) given() bool { return c.ids != "" }

// check refuses what would destroy a capture.
func (c *cutting) check(files []string) error {
	if !c.given() {
		return nil
	}
	if c.to == "" {
		return usageError("--extract %s: no file is given to write; use -o FILE.pcapng", c.ids)
	}
	if c.to == "-" {
		return nil // nothing else goes there
	}
	return checkOutputs([]output{{"-o", c.to}}, files)
}

func (c *cutting) run(ctx context.Context, out, stderr io.Writer, packets *session.Packets) error {
	to := c.to
	if to == "-" {
		if _, tty := terminalWidth(out); tty {
			return usageError("-o -: packets are not for a terminal; name a file, or a program behind |")
		}
		to = "standard output"
	}
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
	found, err := findConnections(ctx, packets, names)
	if err != nil {
		return fmt.Errorf("--extract %s: %w", c.ids, err)
	}
	copied, err := c.copy(ctx, out, packets, found)
	if err != nil {
		return fmt.Errorf("writing %s: %w", to, err)
	}
	fmt.Fprintf(stderr, "%s: %s of %s\n", to, unit.Plural(copied, "packet", "packets"), unit.Plural(len(found), "connection", "connections"))
	return nil
}

// copy writes a new file, which is in its place when it is complete.
func (c *cutting) copy(ctx context.Context, out io.Writer, packets *session.Packets, found []traffic.Found) (n uint64, err error) {
	src, err := packets.Open(ctx)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	extract := func(to io.Writer) error {
		w := pcap.NewWriter(to, pcap.FormatOf(c.to), src.Interfaces)
		if n, err = traffic.Extract(ctx, src, w, found); err != nil {
			if errors.Is(err, pcap.ErrMixedLinks) {
				err = fmt.Errorf("the connections were captured on interfaces of several link types: %w", err)
			}
			return err
		}
		return w.Close(pcap.Loss{})
	}
	if c.to == "-" {
		err = extract(raw(out))
		return n, err
	}
	err = outfile.Write(ctx, c.to, func(f *outfile.File) error { return extract(f) })
	return n, err
}
