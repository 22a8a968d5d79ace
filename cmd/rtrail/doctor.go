package main

import (
	"slices"

	"github.com/spf13/cobra"

	"rtrail/internal/doctor"
	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/event"
)

func newDoctorCommand() *cobra.Command {
	var as face
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what rtrail can see on this machine, and how to get the rest",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := as.check(); err != nil {
				return err
			}
			watches(cmd.ErrOrStderr(), false) // as the verbs do
			var servers mysqlFlags
			mysql, err := servers.probeOf(cmd.Context(), []string{mysqlAuto}, nil)
			if err != nil {
				return err
			}
			r := doctor.Examine("/", manifest().Host, slices.Concat(probes(census.New("/"), false), eventProbes(event.Options{}), []probe.Probe{mysql}))
			return as.print(cmd.OutOrStdout(), r.Document(), r)
		},
	}
	as.add(cmd.Flags(), "the report")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}
