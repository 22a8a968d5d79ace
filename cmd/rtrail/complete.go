package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rtrail/internal/bench/compare"
	"rtrail/internal/escape"
	"rtrail/internal/packet/engine"
	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/traffic"
)

// flagValues gives the values of a flag that a shell can complete, by the
// flag's name; typed is what is there so far.
var flagValues = map[string]func(typed string) []string{
	"alloc":      func(string) []string { return processIDs("/proc") },
	"at":         fixed("-5m", "03:00"),
	"base":       fixed(),
	"by":         fixed(traffic.Views...),
	"comm":       func(string) []string { return processNames("/proc") },
	"connection": fixed(),
	decodeAsName: protocolsOf,
	"events":     fixed(eventModes...),
	"extract":    fixed(),
	"fail-on":    fixed(rule.Possible.String(), rule.Likely.String(), rule.Certain.String()),
	"filter":     fixed(),
	"format":     fixed(),
	"from":       fixed("-1h", "03:00"),
	"instance":   fixed(),
	"interface":  func(string) []string { return interfaces() },
	"max-size":   fixed("500MiB", "2GiB"),
	"metric":     fixed(compare.Metrics()...),
	"mysql":      fixed("auto", "off"),
	"mysql-tls":  fixed("preferred", "true", "skip-verify", "false"),
	"notify":     fixed("exec:", "https://", "alertmanager+http://localhost:9093"),
	"netns":      func(string) []string { return namespaces("/run/netns") },
	"pid":        func(string) []string { return processIDs("/proc") },
	"port":       fixed(),
	"prometheus": fixed("http://localhost:9090"),
	"sort":       fixed(traffic.OrderNames()...),
	"to":         fixed("-5m", "04:00"),
	"vary":       fixed("rows", "seconds"),
	"threshold":  func(string) []string { return thresholdNames() },
}

func fixed(values ...string) func(string) []string {
	return func(string) []string { return values }
}

// withCompletion lets shells complete the values of flags. Files are offered
// only for text whose values are not known: no number or time is a file.
func withCompletion(cmd *cobra.Command) {
	complete := func(f *pflag.Flag) {
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
	}
	cmd.Flags().VisitAll(complete)
	cmd.PersistentFlags().VisitAll(complete)
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

// thresholdNames are those of all rules, with their values and what they are for.
func thresholdNames() (list []string) {
	for _, r := range catalogue.Rules {
		for _, t := range r.Thresholds {
			list = append(list, fmt.Sprintf("%s.%s=\t%v: %s", r.ID, t.Name, t, t.Reason))
		}
	}
	return list
}

// maxOffered bounds the processes that are offered.
const maxOffered = 5000

// processes calls for each one that runs, with its name.
func processes(proc string, give func(pid, comm string)) {
	dir, err := os.Open(proc)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(4 * maxOffered) // what was read before an error is offered
	slices.Sort(names)
	for _, pid := range names[:min(len(names), maxOffered)] {
		if strings.Trim(pid, "0123456789") != "" {
			continue
		}
		if comm, err := os.ReadFile(filepath.Join(proc, pid, "comm")); err == nil {
			give(pid, escape.Line(strings.TrimSuffix(string(comm), "\n")))
		}
	}
}

// processIDs are those of running processes, with their names.
func processIDs(proc string) (list []string) {
	processes(proc, func(pid, comm string) { list = append(list, pid+"\t"+comm) })
	return list
}

// processNames are those of running processes, each once.
func processNames(proc string) []string {
	names := map[string]bool{}
	processes(proc, func(_, comm string) { names[comm] = true })
	return slices.Sorted(maps.Keys(names))
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
