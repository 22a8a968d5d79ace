package main

import (
	"fmt"
	"os"
	"strings"

	"rtrail/internal/prose"

	"github.com/spf13/cobra"
)

const (
	// helpWidth is that of help that no terminal shows, and of its prose.
	helpWidth = 80
	// maxHelp: longer lines of words are hard to read.
	maxHelp = 100
	// minHelp: below, descriptions beside flags would be columns of single words.
	minHelp = 60
)

// withHelp breaks the descriptions of flags and commands at the terminal's width,
// in a column of their own.
func withHelp(root *cobra.Command) *cobra.Command {
	cobra.AddTemplateFunc("helpWidth", func() int { return widthOfHelp(terminalWidth(os.Stdout)) })
	cobra.AddTemplateFunc("commandLine", commandLine)
	root.SetUsageTemplate(strings.NewReplacer(
		".FlagUsages", ".FlagUsagesWrapped helpWidth",
		"  {{rpad .Name .NamePadding }} {{.Short}}", "{{commandLine . helpWidth}}",
	).Replace(root.UsageTemplate()))
	return root
}

func widthOfHelp(width int, tty bool) int {
	if !tty {
		return helpWidth
	}
	return min(max(width, minHelp), maxHelp)
}

// commandLine is a command in the list of another one's.
func commandLine(c *cobra.Command, width int) string {
	name := fmt.Sprintf("  %-*s ", c.NamePadding(), c.Name())
	return prose.Wrap(name+c.Short, width, len(name))
}
