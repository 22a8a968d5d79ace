package main

import (
	"github.com/spf13/cobra"

	"rtrail/internal/nearest"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for bash, zsh, fish or powershell",
		Example: `  source <(rtrail completion bash)
  rtrail completion bash | sudo tee /etc/bash_completion.d/rtrail`,
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("completion needs one shell: bash, zsh, fish or powershell")
			}
			out := cmd.OutOrStdout()
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return usageError("no completion for %q%s", args[0], nearest.Hint(args[0], shells))
		},
	}
}
