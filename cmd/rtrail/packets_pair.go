package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rtrail/internal/packet/bothsides"
	"rtrail/internal/privilege"
	"rtrail/internal/session"
	"rtrail/internal/traffic"
)

// sidesFlags are two captures of the same traffic.
type sidesFlags struct {
	client, server []string
}

func (s *sidesFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&s.client, "client-side", nil, "capture taken at the client, to compare with --server-side (repeatable)")
	f.StringArrayVar(&s.server, "server-side", nil, "capture of the same traffic taken at the server")
}

func (s *sidesFlags) given() bool { return len(s.client)+len(s.server) > 0 }

// check refuses what cannot be meant.
func (s *sidesFlags) check(args []string, iface string) error {
	switch {
	case !s.given():
		return nil
	case len(s.server) == 0:
		return usageError("--client-side needs the capture of the other side: --server-side FILE")
	case len(s.client) == 0:
		return usageError("--server-side needs the capture of the other side: --client-side FILE")
	case len(args) > 0:
		return usageError("%s: a third capture does not go with --client-side and --server-side", args[0])
	case iface != "":
		return usageError("-i %s does not go with --client-side and --server-side: capture both sides with -w first", iface)
	}
	return readTwice(slices.Concat(s.client, s.server)...)
}

// compared prints what two captures of the same traffic say together.
func (s *sidesFlags) compared(cmd *cobra.Command, as decodeAs) error {
	list, _ := cmd.Flags().GetString("port")
	ports, err := portList(list)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	top, _ := cmd.Flags().GetInt("top")
	asJSON, _ := cmd.Flags().GetBool("json")
	each, _ := cmd.Flags().GetBool("transactions")
	width, _ := terminalWidth(out)
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	sides := session.BothSides{Client: s.client, Server: s.server, Ports: ports, DecodeAs: as, Confine: func() {
		confine(cmd.ErrOrStderr(), privilege.Needs{Read: slices.Concat(s.client, s.server)})
	}}
	o := bothsides.Options{Slowest: top}
	var buffered *bufio.Writer
	var failed error
	if each {
		buffered = bufio.NewWriterSize(out, 64<<10)
		lines, encoder := traffic.PairLines{Width: width}, traffic.JSON{}
		var b []byte
		o.Each = func(x *bothsides.Split) {
			if asJSON {
				b = encoder.PairTransaction(b[:0], x)
			} else {
				b = append(b[:0], lines.Line(x)...)
			}
			if _, err := buffered.Write(b); err != nil && failed == nil {
				failed = err
				stop()
			}
		}
	}
	result, err := sides.Compare(ctx, o)
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	report := traffic.Pair{Result: result, Top: top, Width: width, Prose: lineWidth(out)}
	switch {
	case each && asJSON:
		return buffered.Flush()
	case each:
		fmt.Fprintln(buffered)
		if err := buffered.Flush(); err != nil {
			return err
		}
	case asJSON:
		return report.JSON(out)
	}
	return report.Print(out)
}
