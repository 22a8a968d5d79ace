package main

import (
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rtrail/internal/packet/engine"
	"rtrail/internal/rule"
	"rtrail/internal/traffic"
)

// flagValues gives the values of a flag that a shell can complete, by the
// flag's name; typed is what is there so far.
var flagValues = map[string]func(typed string) []string{
	"at":         fixed("-5m", "03:00"),
	"by":         fixed(traffic.Views...),
	decodeAsName: protocolsOf,
	"events":     fixed(eventModes...),
	"fail-on":    fixed(rule.Possible.String(), rule.Likely.String(), rule.Certain.String()),
	"interface":  func(string) []string { return interfaces() },
	"mysql":      fixed("auto", "off"),
	"mysql-tls":  fixed("preferred", "true", "skip-verify", "false"),
	"netns":      func(string) []string { return namespaces("/run/netns") },
	"sort":       fixed(traffic.OrderNames()...),
}

func fixed(values ...string) func(string) []string {
	return func(string) []string { return values }
}

// withCompletion lets shells complete the values of flags. Files are offered
// only for text whose values are not known: no number or time is a file.
func withCompletion(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values, known := flagValues[f.Name]
		switch {
		case known:
		case f.Value.Type() == "duration" || strings.HasPrefix(f.Value.Type(), "int"):
			values = fixed()
		default:
			return
		}
		// It fails only for a flag that does not exist, or is registered twice.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return values(typed), cobra.ShellCompDirectiveNoFileComp
		})
	})
	for _, c := range cmd.Commands() {
		withCompletion(c)
	}
}

// protocolsOf completes the protocol once the port is there.
func protocolsOf(typed string) []string {
	port, _, ok := strings.Cut(typed, "=")
	if !ok {
		return nil
	}
	var list []string
	for _, name := range engine.Names() {
		list = append(list, port+"="+name)
	}
	return list
}

// interfaces are those of this namespace, and "any".
func interfaces() []string {
	names := map[string]bool{"any": true}
	list, err := net.Interfaces()
	if err != nil {
		return []string{"any"}
	}
	for _, i := range list {
		names[i.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// namespaces are those with names, as `ip netns` keeps them.
func namespaces(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
