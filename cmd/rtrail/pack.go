package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rtrail/internal/privilege"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// maxLacking is how many files are named that a packed recording lacks.
const maxLacking = 5

func newPackCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "pack DIR",
		Short: "Make one file of a recording, to send or to keep",
		Long: `Puts a recorded directory into one .rtr file, which every verb reads in place.
It is a zip archive without compression: unzip gives the directory back. A
recording that still runs may be packed.`,
		Example: `  rtrail pack /var/log/rtrail -o db1-sunday.rtr`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("which recording? give its directory: rtrail pack DIR")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				out = filepath.Clean(args[0]) + ".rtr"
			}
			if out == "-" {
				return usageError("-o -: a packed recording is a file that is read in any order; name one")
			}
			if err := checkOutputs([]output{{"-o", out}}, nil); err != nil {
				return err
			}
			if partOf(args[0], out) {
				return usageError("-o %s is a file that is read: it would be destroyed; name another file", out)
			}
			confine(cmd.ErrOrStderr(), privilege.Needs{Read: args, Write: []string{out}})
			lacking, err := recording.Lacking(args[0])
			if err != nil {
				return err
			}
			if err := recording.Pack(cmd.Context(), args[0], out); err != nil {
				return err
			}
			info, err := os.Stat(out)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "packed %s into %s, %v\n", args[0], out, unit.Bytes(info.Size()))
			for i, what := range lacking {
				if i == maxLacking {
					fmt.Fprintf(cmd.ErrOrStderr(), "and %d more\n", len(lacking)-i)
					break
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "it is not whole: %s\n", what)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: DIR.rtr)")
	cmd.SetFlagErrorFunc(flagError)
	return cmd
}

// partOf says whether an output replaces a file below a directory. The directory is
// not searched: whoever made it decides how many files that are.
func partOf(dir, out string) bool {
	parent, err := os.Stat(dir)
	if err != nil {
		return false
	}
	file, err := filepath.EvalSymlinks(out)
	if err != nil {
		return false // it is not there yet
	}
	if file, err = filepath.Abs(file); err != nil {
		return false
	}
	// Not by name: a directory may be mounted in several places.
	for file != filepath.Dir(file) {
		file = filepath.Dir(file)
		if above, err := os.Stat(file); err == nil && os.SameFile(above, parent) {
			return true
		}
	}
	return false
}
