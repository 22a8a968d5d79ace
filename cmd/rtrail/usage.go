package main

import (
	"bytes"
	"regexp"
	"strings"

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
	if m := badArgument.FindStringSubmatch(err.Error()); m != nil {
		for _, want := range wantedArguments {
			if strings.HasPrefix(m[3], want.error) {
				return usageError("%s %q: not %s; see: %s --help", m[2], m[1], want.words, cmd.CommandPath())
			}
		}
	}
	return usageError("%w; see: %s --help", err, cmd.CommandPath())
}

// badArgument is what pflag says of a value that a flag does not take.
var badArgument = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?(--[\w-]+)" flag: (.*)$`)

// wantedArguments are what Go's packages say of numbers and times that are none, and in words of
// people what a flag wants.
var wantedArguments = []struct{ error, words string }{
	{"strconv.ParseInt:", "a whole number"}, {"strconv.ParseUint:", "a whole number"}, {"strconv.Atoi:", "a whole number"},
	{"strconv.ParseFloat:", "a number"}, {"strconv.ParseBool:", "true or false"}, {"time:", "a time, as 500ms, 10s or 5m"},
}

// noArgs refuses arguments, and names the verbs there are below the command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			verbs = append(verbs, sub.Name())
		}
	}
	if len(verbs) > 0 {
		return usageError("%s %s: no such verb; choose one of %s", cmd.CommandPath(), args[0], strings.Join(verbs, ", "))
	}
	return usageError("%s takes no arguments, not %q", cmd.CommandPath(), args[0])
}

// watchHelp keeps the error of writing the help, which cobra drops.
func watchHelp(root *cobra.Command) *error {
	var failed error
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		print(cmd, args)
		cmd.SetOut(out)
		_, failed = out.Write(text.Bytes())
	})
	return &failed
}
