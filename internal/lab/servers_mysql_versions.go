package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mysqlVersion is a server the labs can start.
type mysqlVersion struct {
	name    string // as people call it: "MySQL 5.6.14"
	short   string // part of file names
	folder  string // below the servers of the cache, made by scripts/mysql-servers; "": a package of the host
	chroot  bool   // the folder is the root of a system of its own
	program string // path of the server in the folder, or its name on the PATH
	options []string
	grants  string // what its init file holds; it is run at every start

	initialize func(ctx context.Context, m *mysqlServer) error
}

const (
	serverMySQL56 = "mysql-5.6.14"
	serverSid     = "debian-sid" // MySQL 9 and MariaDB 11.8

	// Where MariaDB is in debian-sid: its packages exclude those of MySQL.
	sidMariaDB = "/opt/mariadb/usr"

	// MySQL of that age has no CREATE USER IF NOT EXISTS.
	grantsOf56    = "GRANT ALL ON *.* TO lab@'%' WITH GRANT OPTION;\nCREATE DATABASE IF NOT EXISTS lab;\n"
	grantsOfUsers = "CREATE USER IF NOT EXISTS lab@'%';\nGRANT ALL ON *.* TO lab@'%' WITH GRANT OPTION;\nCREATE DATABASE IF NOT EXISTS lab;\n"
)

// mariaDB10 is the MariaDB of Debian 12, of the 10.11 series, with a thread pool.
func mariaDB10() mysqlVersion {
	return mysqlVersion{
		name: "MariaDB", short: "mariadb", program: "mariadbd", grants: grantsOfUsers, options: []string{"--performance-schema=OFF"},
		initialize: func(ctx context.Context, m *mysqlServer) error { return installMariaDB(ctx, m, "mariadb-install-db") },
	}
}

// mariaDB11 is MariaDB 11.8, with a thread pool.
func mariaDB11() mysqlVersion {
	return mysqlVersion{
		name: "MariaDB 11.8", short: "mariadb-11.8", folder: serverSid, chroot: true, program: sidMariaDB + "/sbin/mariadbd", grants: grantsOfUsers,
		options: []string{"--basedir=" + sidMariaDB, "--plugin-dir=" + sidMariaDB + "/lib/mysql/plugin", "--performance-schema=OFF"},
		initialize: func(ctx context.Context, m *mysqlServer) error {
			// --force: the system in the folder resolves no names.
			return installMariaDB(ctx, m, sidMariaDB+"/bin/mariadb-install-db", "--force", "--basedir="+sidMariaDB)
		},
	}
}

// mySQL56 is MySQL 5.6.14 of 2013: one table cache by default, a hash of
// metadata locks with few partitions, read views that copy.
func mySQL56() mysqlVersion {
	base := serverFolder(serverMySQL56)
	return mysqlVersion{
		name: "MySQL 5.6.14", short: "mysql-5.6", folder: serverMySQL56, program: filepath.Join(base, "bin/mysqld"),
		grants:     grantsOf56,
		options:    []string{"--basedir=" + base, "--explicit-defaults-for-timestamp"},
		initialize: bootstrapMySQL56(filepath.Join(base, "share"), "--basedir="+base),
	}
}

// mySQL9 is MySQL 9, which has Oracle's thread pool as a plugin
// (--plugin-load-add=thread_pool.so).
func mySQL9() mysqlVersion {
	v := mySQLInRoot("MySQL 9", "mysql-9", serverSid, "--mysqlx=OFF", "--skip-log-bin")
	// Who may administer the thread pool is not subject to it.
	v.grants += "REVOKE IF EXISTS TP_CONNECTION_ADMIN ON *.* FROM lab@'%';\nGRANT ALL ON *.* TO root@localhost WITH GRANT OPTION;\n"
	return v
}

// mySQLInRoot is a MySQL of 5.7 or later as distributions have it.
func mySQLInRoot(name, short, folder string, options ...string) mysqlVersion {
	return mysqlVersion{
		name: name, short: short, folder: folder, chroot: true, program: "/usr/sbin/mysqld", grants: grantsOfUsers,
		options: append([]string{"--secure-file-priv="}, options...),
		initialize: func(ctx context.Context, m *mysqlServer) error {
			// Nothing is lost that matters if the machine dies here.
			return m.tool(ctx, "", m.version.program, "--no-defaults", "--user=root", "--initialize-insecure", "--datadir="+m.path("data"),
				"--secure-file-priv=", "--innodb-doublewrite=OFF", "--innodb-flush-method=nosync")
		},
	}
}

// release is a server between the oldest and the newest ones, which
// scripts/mysql-servers installs by name.
type release struct {
	tag     string // of cases: "mysql57"
	version mysqlVersion
	pool    bool // it has a thread pool of which none of the other cases' servers is an example
	apart   bool // it counts prepared statements apart from all others
}

// releasesBetween returns them in the order of their age.
func releasesBetween() []release {
	const percona, maria105 = "percona-5.6", "mariadb-10.5"
	return []release{
		{tag: "percona56", pool: true, version: mysqlVersion{
			name: "Percona Server 5.6", short: percona, folder: percona, chroot: true, program: "/usr/sbin/mysqld", grants: grantsOf56,
			options:    []string{"--explicit-defaults-for-timestamp"},
			initialize: bootstrapMySQL56(filepath.Join(serverFolder(percona), "usr/share/mysql")),
		}},
		{tag: "mysql57", apart: true, version: mySQLInRoot("MySQL 5.7", "mysql-5.7", "mysql-5.7")},
		{tag: "mysql80", apart: true, version: mySQLInRoot("MySQL 8.0", "mysql-8.0", "mysql-8.0", "--mysqlx=OFF", "--skip-log-bin")},
		{tag: "mysql84", apart: true, version: mySQLInRoot("MySQL 8.4", "mysql-8.4", "mysql-8.4", "--mysqlx=OFF", "--skip-log-bin")},
		{tag: "mariadb105", version: mysqlVersion{
			name: "MariaDB 10.5", short: maria105, folder: maria105, chroot: true, program: "/usr/sbin/mariadbd", grants: grantsOfUsers,
			options: []string{"--performance-schema=OFF"},
			initialize: func(ctx context.Context, m *mysqlServer) error {
				return installMariaDB(ctx, m, "/usr/bin/mariadb-install-db", "--force") // as for 11.8
			},
		}},
	}
}

// needs is what the server and its load cannot do without.
func (v mysqlVersion) needs() Needs {
	n := Needs{
		Root: true, Packages: []string{"mariadb-client", "sysbench", "iproute2"},
		Commands: []string{"mariadb", "sysbench", "ip"},
	}
	if v.folder == "" {
		n.Packages = append(n.Packages, "mariadb-server")
		n.Commands = append(n.Commands, v.program, "mariadb-install-db")
	} else {
		n.Servers = []string{v.folder}
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
func (v mysqlVersion) command(program string, args []string) (string, []string) {
	if !v.chroot {
		return program, args
	}
	return "unshare", append([]string{"--mount", "sh", "-ec", inChroot, "sh", serverFolder(v.folder), os.TempDir(), program}, args...)
}

// tool runs a program of the server to its end; stdin is what it reads.
func (m *mysqlServer) tool(ctx context.Context, stdin, program string, args ...string) error {
	program, args = m.version.command(program, args)
	_, err := m.env.RunWith(ctx, Options{Stdin: stdin}, program, args...)
	return err
}

func installMariaDB(ctx context.Context, m *mysqlServer, program string, more ...string) error {
	return m.tool(ctx, "", program, append([]string{"--no-defaults", "--datadir=" + m.path("data"), "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"}, more...)...)
}

// bootstrapMySQL56 does what mysql_install_db does, which needs Perl modules
// of its own time; share is where the server's SQL files are.
func bootstrapMySQL56(share string, options ...string) func(context.Context, *mysqlServer) error {
	return func(ctx context.Context, m *mysqlServer) error {
		var sql strings.Builder
		sql.WriteString("USE mysql;\n")
		for _, name := range []string{"mysql_system_tables.sql", "mysql_system_tables_data.sql"} {
			b, err := os.ReadFile(filepath.Join(share, name))
			if err != nil {
				return fmt.Errorf("read the system tables of %s: %w; remove %s and run scripts/mysql-servers %s again",
					m.version.name, err, serverFolder(m.version.folder), m.version.folder)
			}
			sql.Write(b)
		}
		// Users without a name would be taken for "lab" at the socket.
		sql.WriteString("\nDELETE FROM user WHERE user = '';\n")
		if err := os.MkdirAll(m.path("data/mysql"), 0o755); err != nil {
			return err
		}
		return m.tool(ctx, sql.String(), m.version.program, append([]string{"--no-defaults", "--bootstrap", "--user=root", "--datadir=" + m.path("data")}, options...)...)
	}
}
