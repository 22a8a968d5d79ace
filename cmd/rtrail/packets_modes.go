package main

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rtrail/internal/privilege"
	"rtrail/internal/session"
	"rtrail/internal/shell"
)

// packetModes are what `rtrail packets` does instead of its report: compare two
// captures, draw one connection, or cut connections out.
type packetModes struct {
	sides   sidesFlags
	drawing drawing
	cutting cutting
}

// withModes adds them to the command.
func withModes(cmd *cobra.Command) *cobra.Command {
	var m packetModes
	f := cmd.Flags()
	m.sides.add(f)
	m.drawing.add(f)
	m.cutting.add(f)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		if err := m.check(cmd, files); err != nil {
			return err
		}
		as, _ := f.Lookup(decodeAsName).Value.(*decodeAs)
		m.drawing.decodeAs = *as
		packets := session.Packets{Files: files, Confine: func() {
			confine(cmd.ErrOrStderr(), privilege.Needs{Read: files, Write: []string{m.cutting.to}})
		}}
		switch {
		case m.sides.given():
			return m.sides.compared(cmd, *as)
		case m.drawing.given():
			return m.drawing.run(cmd.Context(), cmd.OutOrStdout(), &packets)
		case m.cutting.given():
			return m.cutting.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), &packets)
		}
		return run(cmd, files)
	}
	return cmd
}

// check refuses what cannot be meant.
func (m *packetModes) check(cmd *cobra.Command, files []string) error {
	iface, _ := cmd.Flags().GetString("interface")
	switch {
	case m.sides.given() && (m.drawing.given() || m.cutting.given()):
		return usageError("--connection and --extract take one capture: they do not go with --client-side and --server-side")
	case m.sides.given():
		return cmp.Or(m.sides.check(files, iface), alone(cmd, "--client-side and --server-side", "client-side", "server-side", "port", decodeAsName, "top", "json", "transactions"))
	case m.drawing.given() && m.cutting.given():
		return usageError("--connection and --extract exclude each other")
	case m.drawing.given():
		return cmp.Or(m.oneFile(files, iface), alone(cmd, "--connection", "connection", "all", "port", decodeAsName))
	case m.cutting.given():
		return cmp.Or(m.oneFile(files, iface), alone(cmd, "--extract", "extract", "output", "port", decodeAsName))
	case m.cutting.to != "":
		return usageError("-o %s requires --extract ID, which names the connections to write", m.cutting.to)
	case m.drawing.all:
		return usageError("--all goes with --connection ID")
	}
	return nil
}

// alone refuses flags that a mode does not heed: it would seem to have done what
// they ask for. A connection has one port, so -p, which findings put into all their
// commands, takes nothing away from it, and --decode-as changes nothing of others.
func alone(cmd *cobra.Command, mode string, heeded ...string) error {
	var others []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if cmd.InheritedFlags().Lookup(f.Name) == nil && !slices.Contains(heeded, f.Name) {
			others = append(others, "--"+f.Name)
		}
	})
	if len(others) == 0 {
		return nil
	}
	verb := "does"
	if len(others) > 1 {
		verb = "do"
	}
	return usageError("%s %s not go with %s, which takes the place of the report", strings.Join(others, ", "), verb, mode)
}

// readTwice refuses FIFOs and what else gives its bytes only once.
func readTwice(files ...string) error {
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return usageError("%s: this is read twice, which only a file can give: write it to one first", f)
		}
	}
	return nil
}

// oneFile refuses what cannot be read twice.
func (m *packetModes) oneFile(files []string, iface string) error {
	name := "--connection " + m.drawing.id
	if m.cutting.given() {
		name = "--extract " + m.cutting.ids
	}
	switch {
	case iface != "":
		return usageError("%s looks through a capture for a connection, perhaps twice: capture first (%s), then name the file", name, shell.Line("rtrail packets -i %s -w FILE", iface))
	case len(files) == 0:
		return usageError("%s: in which capture? rtrail packets FILE... %s", name, name)
	}
	for _, f := range files {
		if f == "-" {
			return usageError("%s looks through a capture for a connection, perhaps twice, which standard input cannot give: write it to a file first", name)
		}
		if err := readTwice(f); err != nil {
			return err
		}
	}
	return m.cutting.check(files)
}
