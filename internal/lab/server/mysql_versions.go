package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rtrail/internal/lab/env"
)

// MySQLVersion is a server the labs can start.
type MySQLVersion struct {
	Name    string // as people call it: "MySQL 5.6.14"
	Short   string // part of file names
	Folder  string // below the servers of the cache, made by scripts/mysql-servers; "": a package of the host
	chroot  bool   // the folder is the root of a system of its own
	program string // path of the server in the folder, or its name on the PATH
	options []string
	grants  string // what its init file holds; it is run at every start

	initialize func(ctx context.Context, m *MySQL) error
}

const (
	ServerMySQL56 = "mysql-5.6.14"
	serverSid     = "debian-sid" // MySQL 9 and MariaDB 11.8

	// Where MariaDB is in debian-sid: its packages exclude those of MySQL.
	sidMariaDB = "/opt/mariadb/usr"

	// MySQL of that age has no CREATE USER IF NOT EXISTS.
	grantsOf56    = "GRANT ALL ON *.* TO lab@'%' WITH GRANT OPTION;\nCREATE DATABASE IF NOT EXISTS lab;\n"
	grantsOfUsers = "CREATE USER IF NOT EXISTS lab@'%';\nGRANT ALL ON *.* TO lab@'%' WITH GRANT OPTION;\nCREATE DATABASE IF NOT EXISTS lab;\n"
)

// MariaDB10 is the MariaDB of Debian 12, of the 10.11 series, with a thread pool.
func MariaDB10() MySQLVersion {
	return MySQLVersion{
		Name: "MariaDB", Short: "mariadb", program: "mariadbd", grants: grantsOfUsers, options: []string{"--performance-schema=OFF"},
		initialize: func(ctx context.Context, m *MySQL) error { return installMariaDB(ctx, m, "mariadb-install-db") },
	}
}

// MariaDB11 is MariaDB 11.8, with a thread pool.
func MariaDB11() MySQLVersion {
	return MySQLVersion{
		Name: "MariaDB 11.8", Short: "mariadb-11.8", Folder: serverSid, chroot: true, program: sidMariaDB + "/sbin/mariadbd", grants: grantsOfUsers,
		options: []string{"--basedir=" + sidMariaDB, "--plugin-dir=" + sidMariaDB + "/lib/mysql/plugin", "--performance-schema=OFF"},
		initialize: func(ctx context.Context, m *MySQL) error {
			// --force: the system in the folder resolves no names.
			return installMariaDB(ctx, m, sidMariaDB+"/bin/mariadb-install-db", "--force", "--basedir="+sidMariaDB)
		},
	}
}

// MySQL56 is MySQL 5.6.14 of 2013: one table cache by default, a hash of
// metadata locks with few partitions, read views that copy.
func MySQL56() MySQLVersion {
	base := env.ServerFolder(ServerMySQL56)
	return MySQLVersion{
		Name: "MySQL 5.6.14", Short: "mysql-5.6", Folder: ServerMySQL56, program: filepath.Join(base, "bin/mysqld"),
		grants:     grantsOf56,
		options:    []string{"--basedir=" + base, "--explicit-defaults-for-timestamp"},
		initialize: bootstrapMySQL56(filepath.Join(base, "share"), "--basedir="+base),
	}
}

// MySQL9 is MySQL 9, which has Oracle's thread pool as a plugin
// (--plugin-load-add=thread_pool.so).
func MySQL9() MySQLVersion {
	v := mySQLInRoot("MySQL 9", "mysql-9", serverSid, "--mysqlx=OFF", "--skip-log-bin")
	// Who may administer the thread pool is not subject to it.
	v.grants += "REVOKE IF EXISTS TP_CONNECTION_ADMIN ON *.* FROM lab@'%';\nGRANT ALL ON *.* TO root@localhost WITH GRANT OPTION;\n"
	return v
}

// mySQLInRoot is a MySQL of 5.7 or later as distributions have it.
func mySQLInRoot(name, short, folder string, options ...string) MySQLVersion {
	return MySQLVersion{
		Name: name, Short: short, Folder: folder, chroot: true, program: "/usr/sbin/mysqld", grants: grantsOfUsers,
		options: append([]string{"--secure-file-priv="}, options...),
		initialize: func(ctx context.Context, m *MySQL) error {
			// Nothing is lost that matters if the machine dies here.
			return m.tool(ctx, "", m.Version.program, "--no-defaults", "--user=root", "--initialize-insecure", "--datadir="+m.Path("data"),
				"--secure-file-priv=", "--innodb-doublewrite=OFF", "--innodb-flush-method=nosync")
		},
	}
}

// Release is a server between the oldest and the newest ones, which
// scripts/mysql-servers installs by name.
type Release struct {
	Tag     string // of cases: "mysql57"
	Version MySQLVersion
	Pool    bool // it has a thread pool of which none of the other cases' servers is an example
	Apart   bool // it counts prepared statements apart from all others
}

// ReleasesBetween returns them in the order of their age.
func ReleasesBetween() []Release {
	const percona, maria105 = "percona-5.6", "mariadb-10.5"
	return []Release{
		{Tag: "percona56", Pool: true, Version: MySQLVersion{
			Name: "Percona Server 5.6", Short: percona, Folder: percona, chroot: true, program: "/usr/sbin/mysqld", grants: grantsOf56,
			options:    []string{"--explicit-defaults-for-timestamp"},
			initialize: bootstrapMySQL56(filepath.Join(env.ServerFolder(percona), "usr/share/mysql")),
		}},
		{Tag: "mysql57", Apart: true, Version: mySQLInRoot("MySQL 5.7", "mysql-5.7", "mysql-5.7")},
		{Tag: "mysql80", Apart: true, Version: mySQLInRoot("MySQL 8.0", "mysql-8.0", "mysql-8.0", "--mysqlx=OFF", "--skip-log-bin")},
		{Tag: "mysql84", Apart: true, Version: mySQLInRoot("MySQL 8.4", "mysql-8.4", "mysql-8.4", "--mysqlx=OFF", "--skip-log-bin")},
		{Tag: "mariadb105", Version: MySQLVersion{
			Name: "MariaDB 10.5", Short: maria105, Folder: maria105, chroot: true, program: "/usr/sbin/mariadbd", grants: grantsOfUsers,
			options: []string{"--performance-schema=OFF"},
			initialize: func(ctx context.Context, m *MySQL) error {
				return installMariaDB(ctx, m, "/usr/bin/mariadb-install-db", "--force") // as for 11.8
			},
		}},
	}
}

// Needs is what the server and its load cannot do without.
func (v MySQLVersion) Needs() env.Needs {
	n := env.Needs{
		Root: true, Packages: []string{"mariadb-client", "sysbench", "iproute2"},
		Commands: []string{"mariadb", "sysbench", "ip"},
	}
	if v.Folder == "" {
		n.Packages = append(n.Packages, "mariadb-server")
		n.Commands = append(n.Commands, v.program, "mariadb-install-db")
	} else {
		n.Servers = []string{v.Folder}
	}
	return n
}

// inChroot runs its arguments in another root, which sees the host's devices,
// processes and temporary files at their own paths. The mounts are in a
// namespace of the process and end with it.
const inChroot = `root=$1 tmp=/$(echo "$2" | cut -d / -f 2); shift 2
mkdir -p "$root$tmp"
for dir in "$tmp" /dev /proc; do mount --rbind "$dir" "$root$dir"; done
exec chroot "$root" "$@"`

// command is the command line of a program of the server.
func (v MySQLVersion) command(program string, args []string) (string, []string) {
	if !v.chroot {
		return program, args
	}
	return "unshare", append([]string{"--mount", "sh", "-ec", inChroot, "sh", env.ServerFolder(v.Folder), os.TempDir(), program}, args...)
}

// tool runs a program of the server to its end; stdin is what it reads.
func (m *MySQL) tool(ctx context.Context, stdin, program string, args ...string) error {
	program, args = m.Version.command(program, args)
	_, err := m.env.RunWith(ctx, env.Options{Stdin: stdin}, program, args...)
	return err
}

func installMariaDB(ctx context.Context, m *MySQL, program string, more ...string) error {
	return m.tool(ctx, "", program, append([]string{"--no-defaults", "--datadir=" + m.Path("data"), "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"}, more...)...)
}

// bootstrapMySQL56 does what mysql_install_db does, which needs Perl modules
// of its own time; share is where the server's SQL files are.
func bootstrapMySQL56(share string, options ...string) func(context.Context, *MySQL) error {
	return func(ctx context.Context, m *MySQL) error {
		var sql strings.Builder
		sql.WriteString("USE mysql;\n")
		for _, name := range []string{"mysql_system_tables.sql", "mysql_system_tables_data.sql"} {
			b, err := os.ReadFile(filepath.Join(share, name))
			if err != nil {
				return fmt.Errorf("read the system tables of %s: %w; remove %s and run scripts/mysql-servers %s again",
					m.Version.Name, err, env.ServerFolder(m.Version.Folder), m.Version.Folder)
			}
			sql.Write(b)
		}
		// Users without a name would be taken for "lab" at the socket.
		sql.WriteString("\nDELETE FROM user WHERE user = '';\n")
		if err := os.MkdirAll(m.Path("data/mysql"), 0o755); err != nil {
			return err
		}
		return m.tool(ctx, sql.String(), m.Version.program, append([]string{"--no-defaults", "--bootstrap", "--user=root", "--datadir=" + m.Path("data")}, options...)...)
	}
}
