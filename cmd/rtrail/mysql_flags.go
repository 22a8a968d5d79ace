package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/probe/process"
)

// Names of servers that are none.
const (
	mysqlAuto = "auto" // those found on this host
	mysqlOff  = "off"  // none, not even found ones
)

// mysqlFlags is which MySQL servers to ask, and how.
type mysqlFlags struct {
	names     serverNames // given with --mysql
	tls, ca   string
	adminPort int
	deep      bool
	explain   bool
	literals  bool

	asked *mysqlconn.Target // the only server, if it was named
	notes []string          // option files that were left out
}

// add adds the flags of verbs that watch a host and servers beside.
func (m *mysqlFlags) add(f *pflag.FlagSet) {
	f.Var(&m.names, "mysql", "also ask this MySQL server: USER@HOST:PORT, USER@/PATH/TO.SOCK; auto: those on this host; off: none")
	m.addAccess(f)
}

// addAccess adds the flags that say how to ask.
func (m *mysqlFlags) addAccess(f *pflag.FlagSet) {
	f.IntVar(&m.adminPort, "mysql-admin-port", 0, "the servers' administration port (admin_port, extra_port), used if they are full or stuck")
	m.addTLS(f)
	f.BoolVar(&m.deep, "deep", false, "also read table sizes, which costs a MySQL server more")
	f.BoolVar(&m.explain, "explain", false, "also EXPLAIN statements that use no index, or that are running at a look; needs SELECT on their tables")
	f.BoolVar(&m.literals, "literals", false, "keep the literals of statements (may be personal data)")
}

// addTLS adds the flags that say how connections are encrypted.
func (m *mysqlFlags) addTLS(f *pflag.FlagSet) {
	f.StringVar(&m.tls, "mysql-tls", "", "TLS to MySQL servers: preferred, true, skip-verify or false")
	f.StringVar(&m.ca, "mysql-ca", "", "file with the CA certificates for MySQL servers")
}

// options is how to ask.
func (m *mysqlFlags) options() mysql.Options {
	return mysql.Options{Deep: m.deep, Explain: m.explain, Literals: m.literals}
}

// check refuses what only a server can answer where none is asked.
func (m *mysqlFlags) check(asked bool) error {
	if asked {
		return nil
	}
	switch {
	case m.explain:
		return usageError("--explain asks a MySQL server: it needs one, as --mysql USER@HOST:PORT")
	case m.deep:
		return usageError("--deep asks a MySQL server: it needs one, as --mysql USER@HOST:PORT")
	}
	return nil
}

// none says that no server is to be asked, not even one of this host.
func (m *mysqlFlags) none() bool { return slices.Equal(m.names, []string{mysqlOff}) }

// probe is the probe for the servers named with --mysql. found says that servers
// of this host are asked if none is named. The probe is nil when there is nothing
// to ask.
func (m *mysqlFlags) probe(ctx context.Context, found bool, people *census.Census) (*mysql.Probe, error) {
	names := slices.Clone([]string(m.names))
	if len(names) == 0 && found {
		names = []string{mysqlAuto}
		p, err := m.probeOf(ctx, names, people)
		if err != nil || p.Servers() == 0 && len(p.Hidden()) == 0 {
			return nil, err
		}
		return p, nil
	}
	if len(names) == 0 || m.none() {
		return nil, nil
	}
	return m.probeOf(ctx, names, people)
}

// probeOf is the probe for servers by name. Passwords are asked for on the
// terminal where a name wants that. Those of this host are found among the people
// that a census counts, or by the names of all processes without one (nil).
func (m *mysqlFlags) probeOf(ctx context.Context, names []string, people *census.Census) (*mysql.Probe, error) {
	if err := checkAdminPort(m.adminPort); err != nil {
		return nil, err
	}
	files := mysqlconn.ReadOptionFiles("/", os.Getenv)
	options := mysqlconn.Options{TLS: m.tls, CA: m.ca, AdminPort: m.adminPort}
	var targets []mysqlconn.Target
	var hidden []mysqlconn.Hidden
	discover := func(people *census.Census) ([]mysqlconn.Target, []mysqlconn.Hidden) {
		return mysqlconn.Discover(ctx, mysqlconn.Here{Proc: "/proc", Named: namedServers(people), Debian: "/etc/mysql/debian.cnf", UID: os.Geteuid(), Files: files, Options: options})
	}
	for _, name := range names {
		if name == mysqlOff {
			return nil, usageError("--mysql off: it does not go with other servers")
		}
		if name == mysqlAuto {
			t, h := discover(people)
			targets, hidden = append(targets, t...), append(hidden, h...)
			continue
		}
		t, err := mysqlconn.Parse(name, files, options)
		if err != nil {
			return nil, usageError("--mysql: %v", err)
		}
		if err := t.Check(); err != nil {
			return nil, usageError("--mysql %s: %v", t.Name, err)
		}
		if t.Prompt {
			if t.Password, err = askPassword(t); err != nil {
				return nil, err
			}
		}
		targets = append(targets, t)
	}
	// A server that is named and found is one.
	seen := map[string]bool{}
	targets = slices.DeleteFunc(targets, func(t mysqlconn.Target) bool {
		again := seen[t.Name]
		seen[t.Name] = true
		return again
	})
	p := mysql.New(targets, hidden, m.options())
	if slices.Contains(names, mysqlAuto) {
		p.FindBy(func() ([]mysqlconn.Target, []mysqlconn.Hidden) { return discover(nil) })
	}
	return p, nil
}

// namedServers are the processes of a count that have the name of a server; nil
// without a census. The first sample shares the count: otherwise every process
// would be read twice.
func namedServers(people *census.Census) []int32 {
	if people == nil || people.TakeIfOlder(process.SharedFor) != nil {
		return nil
	}
	named := []int32{}
	people.Each(func(e *census.Entry) {
		if mysqlconn.ServerName(e.Comm) {
			named = append(named, e.PID)
		}
	})
	return named
}

func checkAdminPort(port int) error {
	if port < 0 || port > 65535 {
		return usageError("--mysql-admin-port %d: not a port; ports are 1 to 65535", port)
	}
	return nil
}

// askPassword asks on the terminal, without echo.
func askPassword(t mysqlconn.Target) (mysqlconn.Secret, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", fmt.Errorf("ask for the password of %s: there is no terminal; put it into ~/.my.cnf, below [client]", t.User)
	}
	defer tty.Close()
	fmt.Fprintf(tty, "Password of %s at %s: ", t.User, t.Name)
	b, err := term.ReadPassword(int(tty.Fd()))
	fmt.Fprintln(tty)
	if err != nil {
		return "", fmt.Errorf("ask for the password of %s: %w", t.User, err)
	}
	return mysqlconn.Secret(b), nil
}

// serverNames is a flag that may be given several times, and whose passwords
// disappear from the command line as soon as they are read.
type serverNames []string

func (n *serverNames) String() string { return "" }

// Type is what the help calls the value.
func (n *serverNames) Type() string { return "server" }

// Set adds a server.
func (n *serverNames) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("want USER@HOST:PORT or the path of a socket")
	}
	*n = append(*n, takeServerName(s))
	return nil
}
