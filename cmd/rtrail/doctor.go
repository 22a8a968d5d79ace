package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rtrail/internal/doctor"
	"rtrail/internal/probe/census"
)

func newDoctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what rtrail can see on this machine, and how to get the rest",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			watches(cmd.ErrOrStderr(), false) // as the verbs do
			var servers mysqlFlags
			mysql, err := servers.probeOf([]string{mysqlAuto}, nil)
			if err != nil {
				return err
			}
			r := doctor.Examine("/", manifest().Host, append(probes(census.New("/")), mysql))
			if asJSON {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				return e.Encode(r)
			}
			return printDoctor(cmd.OutOrStdout(), r)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

func printDoctor(out io.Writer, r doctor.Report) error {
	if _, err := fmt.Fprintf(out, "Linux %s on %s, cgroups %s, %s\n", r.Kernel, r.Arch, orUnknown(r.Cgroup), user(r.Root)); err != nil {
		return err
	}
	for _, part := range []struct {
		title string
		list  []doctor.Item
	}{{"PROBES", r.Probes}, {"KERNEL", r.Features}} {
		if _, err := fmt.Fprintf(out, "\n%s\n", part.title); err != nil {
			return err
		}
		for _, i := range part.list {
			mark := "yes"
			if !i.OK {
				mark = "NO "
			}
			line := fmt.Sprintf("  %s  %-18s %s", mark, i.Name, i.What)
			if i.Problem != "" {
				line += "\n         " + i.Problem
			}
			if i.How != "" {
				line += "\n         get it: " + i.How
			}
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func user(root bool) string {
	if root {
		return "as root"
	}
	return "not root: other users' processes, sockets' owners and the kernel log may be out of sight"
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
