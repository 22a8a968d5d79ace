// Package version knows which rtrail this is.
package version

import "runtime/debug"

// version is set by the linker: make build.
var version string

// String is the version as people name it: "0.1.0", or "0.1.0-dev" with the
// commit for a build without the Makefile.
func String() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 7 {
				return "0.1.0-dev+" + s.Value[:7]
			}
		}
	}
	return "0.1.0-dev"
}
