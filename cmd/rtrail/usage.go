package main

import (
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rtrail/internal/nearest"
)

var unknownFlag = regexp.MustCompile(`^unknown (?:shorthand )?flag: (?:'.' in )?-{0,2}([^ ]+)`)

// flagError says what is wrong with a flag, and which one was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usageError("%w%s", err, nearest.Hint("--"+m[1], names))
	}
	return usageError("%w; see: %s --help", err, cmd.CommandPath())
}
