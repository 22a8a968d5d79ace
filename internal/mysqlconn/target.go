// Package mysqlconn finds MySQL, MariaDB and Percona servers and talks to one of
// them over one connection: where it is and who asks (data source names, option
// files, servers on this host), how to log in, and results as text.
//
// Passwords are kept as Secret: no error, no log line and no recording holds one.
package mysqlconn

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
)

// DefaultPort is where servers listen unless they are told otherwise.
const DefaultPort = 3306

// Secret is a password. It formats as "***" whatever the verb.
type Secret string

// String hides the secret.
func (s Secret) String() string { return "***" }

// GoString hides the secret.
func (s Secret) GoString() string { return `"***"` }

// MarshalText hides the secret in JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// TLS modes of a target.
const (
	TLSPreferred  = "preferred"   // if the server offers it; its certificate is not checked
	TLSVerified   = "true"        // required, and the certificate must fit
	TLSUnverified = "skip-verify" // required, the certificate is not checked
	TLSOff        = "false"
)

// Target is one server and how to log in there.
type Target struct {
	Network string // tcp or unix
	Address string // to dial: HOST:PORT, or the path of a socket
	Name    string // in evidence: HOST:PORT, or the path of the socket as the server knows it
	User    string
	// ClientUser is the user that the mysql client must be given with -u to log in
	// as rtrail does; "" if it takes that one by itself.
	ClientUser string
	Password   Secret
	// Prompt says that the user wants to be asked for the password.
	Prompt    bool
	TLS       string // one of the TLS constants
	CA        string // file of certificates; "": the system's
	Cert, Key string // files of the client's certificate; "" without
	AdminPort int    // for administrators, when the server is full; 0: none
	// PID of the server, when it was found by its process; 0: not known.
	PID int32
	// From says where user and password came from, for error texts.
	From string
	// Found says that nobody named the server: it was found on this host. That
	// it does not let rtrail in is no fault then, and it is never shown the
	// password itself, only what it can compare with what it knows.
	Found bool
	// Trust is what must be at the other end of the connection.
	Trust Trust
	// ServerKey says that the server's RSA key is taken on trust where the password
	// itself is wanted and nothing else encrypts it, as the mysql client does with
	// --get-server-public-key.
	ServerKey bool
}

// Options is what holds for all targets of a run.
type Options struct {
	TLS       string // "": as the name or the option files say
	CA        string
	AdminPort int
}

// Host is the name or address of a TCP target; "" for a socket.
func (t Target) Host() string {
	host, _, err := net.SplitHostPort(t.Address)
	if t.Network != "tcp" || err != nil {
		return ""
	}
	return host
}

// Port is the port of a TCP target; 0 for a socket.
func (t Target) Port() int {
	_, port, err := net.SplitHostPort(t.Address)
	if t.Network != "tcp" || err != nil {
		return 0
	}
	n, _ := strconv.Atoi(port)
	return n
}

// name is what a data source name says, before defaults.
type name struct {
	user        string
	hasUser     bool
	password    string
	hasPassword bool
	network     string // "": not said
	host        string
	port        int // 0: not said
	path        string
	parameters  url.Values
}

// NoPassword is what Target.From begins with if nobody gave one.
const NoPassword = "no password given"

// Parse understands what people type for a server:
//
//	HOST  HOST:PORT  USER@HOST  USER:PASSWORD@HOST:PORT
//	USER:PASSWORD@tcp(HOST:PORT)/  USER@unix(/PATH)/  mysql://USER@HOST:PORT/
//	/PATH/TO.SOCK  unix:/PATH/TO.SOCK  USER@/PATH/TO.SOCK
//
// each followed by ?tls=MODE&ca=FILE&admin-port=PORT&server-key=true&login-path=NAME if
// wanted.
// What is not said comes from the option files of the mysql client. A password of "-" asks for a
// prompt. Errors never repeat the text, which may hold a password.
func Parse(dsn string, files *OptionFiles, o Options) (Target, error) {
	n, err := parseName(dsn)
	if err != nil {
		return Target{}, err
	}
	return n.target(files, o)
}

// Placed is the server that the user's own option files place, as the mysql
// client would ask it; false if they place none.
func Placed(files *OptionFiles, o Options) (t Target, ok bool) {
	if files == nil || !files.Places {
		return t, false
	}
	t, err := name{parameters: url.Values{}}.target(files, o)
	return t, err == nil
}

func parseName(dsn string) (name, error) {
	var n name
	rest := strings.TrimSpace(dsn)
	if strings.ContainsAny(rest, "\x00\n\r") {
		return n, errors.New("read the server's name: it holds a control character; want USER@HOST:PORT or a socket's path")
	}
	scheme := false
	for _, s := range []string{"mysql://", "mariadb://"} {
		if after, ok := strings.CutPrefix(rest, s); ok {
			rest, scheme = after, true
		}
	}
	if !scheme && otherScheme(rest) {
		return n, errors.New("read the server's name: it begins like a URL of something else; want mysql://USER@HOST:PORT/")
	}
	rest = n.cutParameters(rest)
	if n.parameters == nil {
		return n, errors.New("read the server's name: what follows the question mark is not name=value pairs joined by &")
	}
	if err := n.cutUser(&rest, scheme); err != nil {
		return n, err
	}
	if err := n.place(rest); err != nil {
		return n, err
	}
	return n, nil
}

// otherScheme says whether a name is a URL of something else, which would be
// taken for a user and a password.
func otherScheme(s string) bool {
	before, _, ok := strings.Cut(s, "://")
	return ok && before != "" && before != "unix" && strings.Trim(strings.TrimPrefix(strings.ToLower(before), "jdbc:"), "abcdefghijklmnopqrstuvwxyz+-") == ""
}

// cutParameters takes ?a=b off the end. A question mark in a password stays: the
// parameters begin behind the last @.
func (n *name) cutParameters(s string) string {
	n.parameters = url.Values{}
	at := strings.LastIndexByte(s, '@')
	q := strings.IndexByte(s[at+1:], '?')
	if q < 0 {
		return s
	}
	q += at + 1
	values, err := url.ParseQuery(s[q+1:])
	if err != nil {
		n.parameters = nil
		return s
	}
	n.parameters = values
	return s[:q]
}

func (n *name) cutUser(rest *string, scheme bool) error {
	at := strings.LastIndexByte(*rest, '@')
	if at < 0 || strings.HasPrefix(*rest, "/") || strings.HasPrefix(*rest, "unix:/") {
		return nil
	}
	who := (*rest)[:at]
	*rest = (*rest)[at+1:]
	n.user, n.password, n.hasPassword = strings.Cut(who, ":")
	n.hasUser = n.user != ""
	// Without a host behind it, the last @ ends a user's name: USER@. One that is
	// all of the name, or follows another one, is a slip.
	if *rest == "" && (!n.hasUser || !n.hasPassword && strings.Contains(n.user, "@")) {
		return errors.New("read the server's name: there is no server behind the @; want USER@HOST:PORT")
	}
	if !scheme {
		return nil
	}
	// In a URL both are percent-encoded.
	var err1, err2 error
	n.user, err1 = url.PathUnescape(n.user)
	n.password, err2 = url.PathUnescape(n.password)
	if err1 != nil || err2 != nil {
		return errors.New("read the server's name: a % in the user or password of a URL must be written as %25")
	}
	return nil
}

// place reads where the server is.
func (n *name) place(s string) error {
	if path, ok := strings.CutPrefix(s, "unix:"); ok {
		n.network, n.path = "unix", strings.TrimPrefix(path, "//")
		return n.checkPath()
	}
	if strings.HasPrefix(s, "/") && s != "/" {
		n.network, n.path = "unix", s
		return n.checkPath()
	}
	for _, network := range []string{"tcp", "unix"} {
		inner, ok := strings.CutPrefix(s, network+"(")
		if !ok {
			continue
		}
		inner, _, ok = strings.Cut(inner, ")")
		if !ok {
			return fmt.Errorf("read the server's name: %s( lacks its closing parenthesis", network)
		}
		if network == "unix" {
			n.network, n.path = "unix", inner
			return n.checkPath()
		}
		n.network = "tcp"
		return n.hostPort(inner)
	}
	host, _, _ := strings.Cut(s, "/") // a database is not needed
	return n.hostPort(host)
}

func (n *name) checkPath() error {
	if !strings.HasPrefix(n.path, "/") {
		return errors.New("read the server's name: the path of a socket begins with a slash")
	}
	return nil
}

func (n *name) hostPort(s string) error {
	if s == "" {
		return nil
	}
	n.network = "tcp"
	bare, bracketed := strings.CutPrefix(s, "[")
	if inner, closed := strings.CutSuffix(bare, "]"); closed == bracketed {
		if ip, err := netip.ParseAddr(inner); err == nil {
			n.host = ip.String()
			return nil
		}
	}
	host, port, ok := strings.Cut(s, ":")
	if strings.HasPrefix(s, "[") || strings.Count(s, ":") > 1 {
		var err error
		if host, port, err = net.SplitHostPort(s); err != nil {
			return errors.New("read the server's name: cannot tell host from port; write [ADDRESS]:PORT for IPv6")
		}
		ok = true
	}
	n.host = host
	if strings.ContainsAny(host, " ()'\"\\") {
		return errors.New("read the server's name: the host holds a character that no host has; want USER:PASSWORD@HOST:PORT")
	}
	if !ok {
		return nil
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 1 || number > 65535 {
		return errors.New("read the server's name: the port is no number from 1 to 65535")
	}
	n.port = number
	return nil
}

// sockets are where packages put the server's socket, for "localhost", which to
// MySQL's clients means the socket.
var sockets = []string{"/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"}

// target fills in what the name does not say.
func (n name) target(files *OptionFiles, o Options) (Target, error) {
	t := Target{Network: n.network, Password: Secret(n.password), Prompt: n.hasPassword && n.password == "-"}
	var c ClientOptions
	if files != nil {
		c = files.Client
	}
	if path := n.parameters.Get("login-path"); path != "" {
		ok := false
		if files != nil {
			c, ok = files.LoginPath(path)
		}
		if !ok {
			return Target{}, errors.New("read the server's name: ~/.mylogin.cnf has no such login path; mysql_config_editor print --all lists them")
		}
	}
	t.From = "the server's name"
	if t.User = n.user; !n.hasUser {
		t.User = cmp.Or(c.User, currentUser())
	}
	t.nameUser(files)
	if !n.hasPassword {
		t.Password, t.From = c.Password, cmp.Or(c.PasswordFrom, NoPassword)
		if c.PasswordFrom == "" && files != nil && len(files.Notes) > 0 {
			t.From += "; " + strings.Join(files.Notes, "; ")
		}
	}
	if t.Prompt {
		t.Password = ""
	}
	n.placeOf(&t, c)
	t.CA, t.Cert, t.Key = cmp.Or(o.CA, n.parameters.Get("ca"), c.CA), c.Cert, c.Key
	t.TLS = cmp.Or(o.TLS, n.parameters.Get("tls"), c.TLS, TLSPreferred)
	t.AdminPort, t.ServerKey = o.AdminPort, c.ServerKey
	return t, n.readParameters(&t)
}

// placeOf decides between socket and TCP.
func (n name) placeOf(t *Target, c ClientOptions) {
	host, port := n.host, n.port
	if n.network == "" {
		host, port = c.Host, cmp.Or(port, c.Port)
		if host == "" {
			host = "localhost"
			n.path = c.Socket
		}
	}
	if n.path == "" && host == "localhost" && port == 0 {
		if isSocket(c.Socket) {
			n.path = c.Socket
		} else if i := slices.IndexFunc(sockets, isSocket); i >= 0 {
			// Nobody named this path, and in /tmp anybody may have made it.
			n.path, t.Trust = sockets[i], Trust{accounts: ownAccounts()}
		}
	}
	if n.path != "" {
		t.Network, t.Address, t.Name = "unix", n.path, n.path
		return
	}
	t.Network = "tcp"
	t.Address = net.JoinHostPort(host, strconv.Itoa(cmp.Or(port, c.Port, DefaultPort)))
	t.Name = t.Address
}

func isSocket(path string) bool {
	if path == "" {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}

// ignored are parameters of Go's driver and of JDBC that people have in their
// names and that change nothing about what is asked here.
var ignored = map[string]bool{"charset": true, "collation": true, "parsetime": true, "loc": true, "timeout": true, "readtimeout": true,
	"writetimeout": true, "interpolateparams": true, "multistatements": true, "maxallowedpacket": true, "allownativepasswords": true,
	"allowcleartextpasswords": true, "checkconnliveness": true, "useunicode": true, "characterencoding": true, "connecttimeout": true}

func (n name) readParameters(t *Target) error {
	for key := range n.parameters {
		switch lower := strings.ToLower(key); {
		case lower == "tls" || lower == "ca" || key == "login-path":
		case lower == "server-key" || lower == "get-server-public-key":
			on, err := strconv.ParseBool(cmp.Or(n.parameters.Get(key), "true"))
			if err != nil {
				return fmt.Errorf("read the server's name: %s is neither true nor false", lower)
			}
			t.ServerKey = on
		case lower == "admin-port" || lower == "adminport":
			port, err := strconv.Atoi(n.parameters.Get(key))
			if err != nil || port < 1 || port > 65535 {
				return errors.New("read the server's name: admin-port is no number from 1 to 65535")
			}
			t.AdminPort = cmp.Or(t.AdminPort, port)
		case !ignored[lower]:
			return errors.New("read the server's name: it has an unknown parameter; there are tls, ca, admin-port, server-key and login-path")
		}
	}
	switch strings.ToLower(t.TLS) {
	case TLSPreferred, TLSVerified, TLSUnverified, TLSOff:
		t.TLS = strings.ToLower(t.TLS)
	default:
		return fmt.Errorf("read the server's name: tls=%q is none of %s, %s, %s, %s", t.TLS, TLSPreferred, TLSVerified, TLSUnverified, TLSOff)
	}
	return nil
}

// nameUser tells whether the mysql client takes the target's user by itself.
func (t *Target) nameUser(files *OptionFiles) {
	taken := currentUser()
	if files != nil && files.Client.User != "" {
		taken = files.Client.User
	}
	if t.ClientUser = t.User; t.User == taken {
		t.ClientUser = ""
	}
}

// currentUser is whom the mysql client logs in as when nobody says: the user of
// the operating system.
func currentUser() string {
	u, err := user.Current()
	if err != nil {
		return cmp.Or(os.Getenv("USER"), "root")
	}
	return u.Username
}
