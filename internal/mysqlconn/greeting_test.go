package mysqlconn

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// TestSomethingElse is what other services say first. None is taken for a MySQL
// server that closes connections or is silent.
func TestSomethingElse(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	for says, shown := range map[string]string{
		"SSH-2.0-OpenSSH_9.2p1\r\n":        `"SSH-2.0-OpenSSH_9.2p1"`,
		"-ERR unknown command\r\n":         `"-ERR unknown command"`,
		"+OK\r\n":                          `"+OK"`,
		"220 mail ESMTP\r\n":               `"220 mail ESMTP"`,
		"HTTP/1.1 400 Bad Request\r\n\r\n": `"HTTP/1.1 400 Bad Request"`,
		"\xff\xfd\x18\xff\xfd\x20":         `"..... "`,
		"\x1b[2J\x1b[Hoops":                `".[2J.[Hoops"`,
	} {
		target := listen(t, func(c net.Conn) { fmt.Fprint(c, says); <-hold; c.Close() })
		kind, _, text, _ := connect(t, target, 2*time.Second)
		if kind != NotMySQL || !strings.HasSuffix(text, "it begins with "+shown) {
			t.Errorf("%q: kind %v, %s", says, kind, text)
		}
	}
}

func TestBeginsGreeting(t *testing.T) {
	for said, want := range map[string]bool{
		"":                             false,
		"\x4a\x00\x00\x00":             false,
		"\x4a\x00\x00\x00\x0a8.0":      true,
		"\x17\x00\x00\x01\xff\x10\x04": true, // too many connections
		"+OK\r\n":                      false,
		"SSH-2":                        false,
	} {
		if got := beginsGreeting([]byte(said)); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}

func TestTLSThatFails(t *testing.T) {
	none := listen(t, func(c net.Conn) {
		hello := "\x0a9.7.4\x00\x01\x00\x00\x0012345678\x00\x00\xa2\x2d\x02\x00\x08\x00\x15" + strings.Repeat("\x00", 10) + "123456789012\x00mysql_native_password\x00"
		fmt.Fprintf(c, "%c\x00\x00\x00%s", len(hello), hello)
		time.Sleep(time.Second)
		c.Close()
	})
	none.TLS = TLSVerified
	if kind, _, text, _ := connect(t, none, 2*time.Second); kind != NoTLS || !strings.Contains(text, "offers none") {
		t.Errorf("a server without TLS: kind %v, %s", kind, text)
	}
	for name, x := range map[string]struct {
		err    error
		kind   Kind
		says   string
		remedy string
		never  string // what does not help
	}{
		"no TLS":      {mysql.ErrNoTLS, NoTLS, "offers none", "preferred", "skip-verify"},
		"certificate": {&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, NoTLS, "rejected: x509: certificate signed by unknown authority", "--mysql-ca FILE", "preferred"},
		"other name": {&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"db2"}}, Host: "db1"}}, NoTLS,
			"valid for db2", "skip-verify", "--mysql-ca"},
		"alert":      {&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, NoTLS, "handshake failure", "ssl-cert", "skip-verify"},
		"plain text": {tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, NoTLS, "does not speak it", "--mysql-tls false", "skip-verify"},
		"closed":     {mysql.ErrInvalidConn, Gone, "closed the connection", "", "never"},
	} {
		err := fmt.Errorf("log in at db as u: %w", x.err)
		if kind, _ := Classify(err); kind != x.kind || !strings.Contains(Text(err), x.says) || x.kind == NoTLS && !strings.HasPrefix(Text(err), TLSAsked) {
			t.Errorf("%s: kind %v, %s", name, kind, Text(err))
		}
		if got := Remedy(Text(err)); x.kind == NoTLS && (!strings.Contains(got, x.remedy) || strings.Contains(got, x.never)) {
			t.Errorf("%s: remedy %q", name, got)
		}
	}
	if got := Remedy(ErrNotMySQL.Error()); got != NameRemedy {
		t.Errorf("something else answers: %q", got)
	}
}
