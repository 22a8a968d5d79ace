package env

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Needs is what a case cannot do without.
type Needs struct {
	Root     bool
	Packages []string // Debian packages
	Servers  []string // what scripts/mysql-servers installs
	Built    []string // servers that scripts/go-servers builds
	Commands []string // what these packages must have put on the PATH
}

// Missing says what this machine lacks for a case and how to get it, or "".
func (n Needs) Missing() string {
	if n.Root && os.Geteuid() != 0 {
		return "needs root"
	}
	var lacking []string
	for _, c := range n.Commands {
		if _, err := exec.LookPath(c); err != nil {
			lacking = append(lacking, c)
		}
	}
	for script, names := range map[string][]string{"mysql-servers": n.Servers, "go-servers": n.Built} {
		for _, name := range names {
			if _, err := os.Stat(ServerFolder(name)); err != nil {
				return "needs the server " + name + "; sudo scripts/" + script + " " + name
			}
		}
	}
	if len(lacking) == 0 {
		return ""
	}
	why := "needs the command " + strings.Join(lacking, ", ")
	if len(n.Packages) > 0 {
		why += "; apt-get install " + strings.Join(n.Packages, " ")
	}
	return why
}

// ServerFolder is where scripts/mysql-servers and scripts/go-servers put a server.
func ServerFolder(name string) string {
	cache := os.Getenv("RTRAIL_CACHE")
	if cache == "" {
		cache = "/var/cache/rtrail"
	}
	return filepath.Join(cache, "servers", name)
}
