package mysqlconn

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"rtrail/internal/safefile"
)

const (
	maxIncludes   = 10      // depth of !include, as the mysql client bounds it
	maxFiles      = 100     // read in all: a real host has a dozen
	maxLines      = 200     // with !include and !includedir, in all
	maxFolder     = 1000    // names in a folder of !includedir
	maxOptionFile = 1 << 20 // bytes; a real one has a few hundred
)

// clientGroups are the groups of option files that clients read: MySQL's, and
// those MariaDB has in addition.
var clientGroups = []string{"client", "mysql", "client-server", "client-mariadb", "mariadb-client"}

// ClientOptions is what option files and the environment say about logging in.
type ClientOptions struct {
	User, Host, Socket string
	Port               int
	Password           Secret
	PasswordFrom       string // the file, or MYSQL_PWD; "": none given
	TLS                string // one of the TLS constants; "": not said
	CA, Cert, Key      string
	ServerKey          bool // Target.ServerKey
}

// OptionFiles is what was read.
type OptionFiles struct {
	Client ClientOptions
	Read   []string // the files, in order
	Notes  []string // files that were left out, with the reason

	opened, includes int // files, read or not, and lines that include some
	// Places says that the user's own files say where the server is. Those of the
	// whole host often name a socket and a port that no server has.
	Places bool

	login     []byte // text of the login file; nil without one
	loginPath string // its name
}

// ReadOptionFiles reads what the mysql client would: /etc/my.cnf,
// /etc/mysql/my.cnf, $MYSQL_HOME/my.cnf, ~/.my.cnf and ~/.mylogin.cnf, in this
// order, a later value replacing an earlier one; and MYSQL_PWD. Files that cannot be read are
// noted. root is "/" outside of tests.
func ReadOptionFiles(root string, getenv func(string) string) *OptionFiles {
	o := &OptionFiles{}
	o.read(filepath.Join(root, "etc/my.cnf"), 0)
	o.read(filepath.Join(root, "etc/mysql/my.cnf"), 0)
	host := o.Client
	var paths []string
	if home := getenv("MYSQL_HOME"); home != "" {
		paths = append(paths, filepath.Join(home, "my.cnf"))
	}
	if home := getenv("HOME"); home != "" {
		paths = append(paths, filepath.Join(home, ".my.cnf"))
	}
	for _, path := range paths {
		o.read(path, 0)
	}
	o.readLogin(loginFile(getenv))
	c := &o.Client
	c.followPort(host)
	o.Places = c.Host != host.Host || c.Port != host.Port || c.Socket != host.Socket
	if password := getenv("MYSQL_PWD"); password != "" && o.Client.PasswordFrom == "" {
		o.Client.Password, o.Client.PasswordFrom = Secret(password), "MYSQL_PWD"
	}
	return o
}

// ReadOptionFile reads one file: /etc/mysql/debian.cnf.
func ReadOptionFile(path string) (*OptionFiles, error) {
	o := &OptionFiles{}
	if _, err := os.Stat(path); err != nil {
		return o, err
	}
	o.read(path, 0)
	return o, nil
}

func (o *OptionFiles) read(path string, depth int) {
	if depth > maxIncludes || o.opened > maxFiles || slices.Contains(o.Read, path) {
		return
	}
	if o.opened++; o.opened > maxFiles {
		o.Notes = append(o.Notes, fmt.Sprintf("%s and others: left out because %d files were read already", path, maxFiles))
		return
	}
	data, err := readOwn(path, 0o002)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		o.Notes = append(o.Notes, path+": "+reason(err))
		return
	}
	o.Read = append(o.Read, path)
	parseOptions(&o.Client, data, path, clientGroups, func(include string, folder bool) {
		if !filepath.IsAbs(include) {
			include = filepath.Join(filepath.Dir(path), include)
		}
		include = filepath.Clean(include)
		if o.includes++; depth == maxIncludes || o.includes > maxLines {
			return
		}
		if !folder {
			o.read(include, depth+1)
			return
		}
		for _, file := range o.folder(include) {
			o.read(file, depth+1)
		}
	})
}

// folder lists the option files of a folder, sorted.
func (o *OptionFiles) folder(path string) (list []string) {
	dir, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY, 0) // a FIFO would make us wait
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxFolder + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		o.Notes = append(o.Notes, path+": "+reason(err))
		return nil
	}
	if len(names) > maxFolder {
		o.Notes = append(o.Notes, fmt.Sprintf("%s: left out because it holds more than %d files", path, maxFolder))
		return nil
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".cnf") {
			list = append(list, filepath.Join(path, name))
		}
	}
	return list
}

// readOwn reads an option file that root, the user, or who called sudo owns and
// others cannot write: like the mysql client, but that does not ask whose file it
// is. A link must belong to one of them, too.
func readOwn(path string, others fs.FileMode) ([]byte, error) {
	owners := ownersOfOptions()
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if owner, ok := ownerOf(info); !ok || !slices.Contains(owners, owner) {
			return nil, errors.New("left out because the link belongs to another user")
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	f, err := safefile.OpenOwned("/", path, owners...)
	if err != nil {
		return nil, fmt.Errorf("left out because %w", innermost(err))
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	switch mode := info.Mode().Perm(); {
	case mode&others != 0 && others == 0o002:
		return nil, errors.New("left out because anybody may write it; chmod o-w it")
	case mode&others != 0:
		return nil, errors.New("left out because others may use it; chmod 600 it")
	}
	return safefile.ReadAll(f, maxOptionFile)
}

// ownersOfOptions are the users whose option files are read.
func ownersOfOptions() []uint32 {
	owners := []uint32{0, uint32(os.Geteuid())}
	if id, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32); err == nil && os.Geteuid() == 0 {
		owners = append(owners, uint32(id))
	}
	return owners
}

// ownerOf is the user to whom a file belongs.
func ownerOf(info fs.FileInfo) (uint32, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, true
}

func noInclude(string, bool) {}

// parseOptions takes what some groups of an option file say. found says that it
// has one of them.
func parseOptions(c *ClientOptions, data []byte, path string, groups []string, include func(path string, folder bool)) (found bool) {
	ours := false
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(make([]byte, 0, 4096), maxOptionFile)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "", line[0] == '#', line[0] == ';':
		case line[0] == '!':
			if dir, ok := strings.CutPrefix(line, "!includedir"); ok {
				include(strings.TrimSpace(dir), true)
			} else if file, ok := strings.CutPrefix(line, "!include"); ok {
				include(strings.TrimSpace(file), false)
			}
		case line[0] == '[':
			group, _, _ := strings.Cut(line[1:], "]")
			ours = slices.Contains(groups, strings.TrimSpace(group))
			found = found || ours
		case ours:
			key, value, given := strings.Cut(line, "=")
			key = strings.ReplaceAll(strings.TrimSpace(uncomment(key)), "_", "-")
			c.set(strings.TrimPrefix(key, "loose-"), unquote(strings.TrimSpace(uncomment(value))), given, path)
		}
	}
	return found
}

// uncomment cuts a comment off: it begins with # outside of quotes.
func uncomment(s string) string {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#':
			return s[:i]
		}
	}
	return s
}

// unquote takes quotes and escapes off, as the manual describes under "Using
// Option Files".
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		s = s[1 : n-1]
	}
	if !strings.ContainsRune(s, '\\') {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i == len(s)-1 {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 's':
			b.WriteByte(' ')
		case '\\', '"', '\'':
			b.WriteByte(s[i])
		default: // an unknown escape stays as it is
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// followPort forgets the socket of files that are farther than the one that
// gives the port: who writes a port means TCP, on this host if nobody names
// another one. The mysql client would ignore the port; but then a file that says
// nothing else leads to a server it does not mean.
func (c *ClientOptions) followPort(farther ClientOptions) {
	if c.Port != farther.Port && c.Socket == farther.Socket {
		c.Socket = ""
	}
}

func (c *ClientOptions) set(key, value string, given bool, path string) {
	switch key {
	case "user":
		c.User = value
	case "password":
		if given { // without a value the mysql client would ask
			c.Password, c.PasswordFrom = Secret(value), path
		}
	case "host":
		c.Host = value
	case "socket":
		c.Socket = value
	case "port":
		if port, err := strconv.Atoi(value); err == nil && port > 0 && port < 65536 {
			c.Port = port
		}
	case "ssl-ca":
		c.CA = value
	case "ssl-cert":
		c.Cert = value
	case "ssl-key":
		c.Key = value
	case "get-server-public-key":
		c.ServerKey = value != "0" && !strings.EqualFold(value, "off")
	case "skip-ssl":
		c.TLS = TLSOff
	case "ssl":
		if value == "0" || strings.EqualFold(value, "off") {
			c.TLS = TLSOff
		} else {
			c.TLS = cmp.Or(c.TLS, TLSUnverified)
		}
	case "ssl-verify-server-cert":
		if value != "0" && !strings.EqualFold(value, "off") {
			c.TLS = TLSVerified
		}
	case "ssl-mode":
		switch strings.ToUpper(value) {
		case "DISABLED":
			c.TLS = TLSOff
		case "PREFERRED":
			c.TLS = TLSPreferred
		case "REQUIRED":
			c.TLS = TLSUnverified
		case "VERIFY_CA", "VERIFY_IDENTITY":
			c.TLS = TLSVerified
		}
	}
}

// reason is an error without the name of the file.
func reason(err error) string { return innermost(err).Error() }

func innermost(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}
