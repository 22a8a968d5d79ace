package main

import (
	"github.com/spf13/cobra"
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
		switch {
		case m.sides.given():
			return m.sides.compared(cmd)
		case m.drawing.given():
			return m.drawing.run(cmd.Context(), cmd.OutOrStdout(), files)
		case m.cutting.given():
			return m.cutting.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), files)
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
		return m.sides.check(files, iface)
	case m.drawing.given() || m.cutting.given():
		return m.oneFile(files, iface)
	case m.cutting.to != "":
		return usageError("-o %s: what shall be written there? --extract ID names connections", m.cutting.to)
	case m.drawing.all:
		return usageError("--all goes with --connection ID")
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
	case m.drawing.given() && m.cutting.given():
		return usageError("--connection and --extract exclude each other")
	case iface != "":
		return usageError("%s looks through a capture for a connection, perhaps twice: capture first (rtrail packets -i %s -w FILE), then name the file", name, iface)
	case len(files) == 0:
		return usageError("%s: in which capture? rtrail packets FILE... %s", name, name)
	}
	for _, f := range files {
		if f == "-" {
			return usageError("%s looks through a capture for a connection, perhaps twice, which standard input cannot give: write it to a file first", name)
		}
	}
	return m.cutting.check(files)
}
