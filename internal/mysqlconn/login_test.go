package mysqlconn

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rtrail/internal/mysqlconn/mysqltest"
)

// certificate is one that nobody signed.
func certificate(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"db"}}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}}}
}

// TestWhoIsToldThePassword goes through what servers ask for and how they are
// reached. The server is told the password itself, or it is not.
func TestWhoIsToldThePassword(t *testing.T) {
	const full, secret = "\x01\x04", "hunter2"
	encrypted := certificate(t)
	for name, x := range map[string]struct {
		server mysqltest.Server
		unix   bool
		target Target // Found, ServerKey, TLS
		shown  bool
		says   string // of the error; "": it logs in
	}{
		"challenge":            {server: mysqltest.Server{}},
		"challenge over TLS":   {server: mysqltest.Server{TLS: encrypted}},
		"fast":                 {server: mysqltest.Server{Method: methodCachingSHA2, Login: []string{"\x01\x03", mysqltest.OK}}},
		"other challenge":      {server: mysqltest.Server{Login: []string{mysqltest.Switch(methodCachingSHA2), "", mysqltest.OK}}},
		"full, named, TLS":     {server: mysqltest.Server{Method: methodCachingSHA2, TLS: encrypted, Login: []string{full, "", mysqltest.OK}}, shown: true},
		"full, named, socket":  {server: mysqltest.Server{Method: methodCachingSHA2, Login: []string{full, "", mysqltest.OK}}, unix: true, shown: true},
		"full, named, plain":   {server: mysqltest.Server{Method: methodCachingSHA2, Login: []string{full, "", mysqltest.OK}}, says: wantedPlain},
		"full, TLS turned off": {server: mysqltest.Server{Method: methodCachingSHA2, TLS: encrypted, Login: []string{full, "", mysqltest.OK}}, target: Target{TLS: TLSOff}, says: wantedPlain},
		"full, found, socket":  {server: mysqltest.Server{Method: methodCachingSHA2, Login: []string{full, "", mysqltest.OK}}, unix: true, target: Target{Found: true}, says: wantedUnnamed},
		"full, found, TLS":     {server: mysqltest.Server{Method: methodCachingSHA2, TLS: encrypted, Login: []string{full, "", mysqltest.OK}}, target: Target{Found: true}, says: wantedUnnamed},
		"full, found, its key": {server: mysqltest.Server{Method: methodCachingSHA2, Login: []string{full, "", mysqltest.OK}}, target: Target{Found: true, ServerKey: true}, says: wantedUnnamed},
		"full after a switch":  {server: mysqltest.Server{Login: []string{mysqltest.Switch(methodCachingSHA2), "", full, "", mysqltest.OK}}, says: wantedPlain},
		"sha256, named, TLS":   {server: mysqltest.Server{TLS: encrypted, Login: []string{mysqltest.Switch(methodSHA256), "", mysqltest.OK}}, shown: true},
		"sha256 first":         {server: mysqltest.Server{Method: methodSHA256, TLS: encrypted, Login: []string{mysqltest.Switch(methodSHA256), "", mysqltest.OK}}, shown: true},
		"sha256, plain":        {server: mysqltest.Server{Login: []string{mysqltest.Switch(methodSHA256), "", mysqltest.OK}}, says: wantedPlain},
		"sha256, found, TLS":   {server: mysqltest.Server{TLS: encrypted, Login: []string{mysqltest.Switch(methodSHA256), "", mysqltest.OK}}, target: Target{Found: true}, says: wantedUnnamed},
		"clear text":           {server: mysqltest.Server{TLS: encrypted, Login: []string{mysqltest.Switch("mysql_clear_password"), mysqltest.OK}}, says: methodUnwanted + `: "mysql_clear_password"`},
		"clear text first":     {server: mysqltest.Server{Method: "mysql_clear_password", TLS: encrypted}},
		"dialog":               {server: mysqltest.Server{TLS: encrypted, Login: []string{mysqltest.Switch("dialog"), mysqltest.OK}}, says: `"dialog"`},
		"old password":         {server: mysqltest.Server{Login: []string{"\xfe", mysqltest.OK}}, says: methodUnwanted},
		"escape sequences":     {server: mysqltest.Server{Login: []string{mysqltest.Switch("\x1b[2J" + strings.Repeat("x", 200)), mysqltest.OK}}, says: `"\x1b[2J`},
		"certificate checked":  {server: mysqltest.Server{TLS: encrypted}, target: Target{TLS: TLSVerified}, says: tlsRejected},
		"no TLS":               {server: mysqltest.Server{}, target: Target{TLS: TLSUnverified}, says: tlsNone},
		"key nobody wanted":    {server: mysqltest.Server{Method: methodCachingSHA2, Login: []string{"\x01-----BEGIN PUBLIC KEY-----", mysqltest.OK}}, says: wantedPlain},
		"a file":               {server: mysqltest.Server{Login: []string{"\xfb/etc/passwd", mysqltest.OK}}, says: "no place in a login"},
		"forever":              {server: mysqltest.Server{Login: forEver(methodCachingSHA2)}, says: "speak MySQL's protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			heard := ""
			x.server.Heard = func(payload string) { mu.Lock(); heard += payload; mu.Unlock() }
			target := x.target
			target.User, target.Password = "u", secret
			if target.TLS == "" {
				target.TLS = TLSPreferred
			}
			target.Network, target.Address = "tcp", "127.0.0.1:0"
			if x.unix {
				target.Network, target.Address = "unix", filepath.Join(t.TempDir(), "s")
			}
			l, err := net.Listen(target.Network, target.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			target.Address = l.Addr().String()
			target.Name = target.Address
			go serveOnce(l, x.server)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			c, err := target.Connect(ctx, nil)
			if err == nil {
				c.Close()
			}
			said := ""
			if err != nil {
				said = Text(err)
			}
			if err != nil && (x.says == "" || !strings.Contains(said, x.says)) || err == nil && x.says != "" {
				t.Errorf("it says %q, want %q", said, x.says)
			}
			mu.Lock()
			defer mu.Unlock()
			if shown := strings.Contains(heard, secret); shown != x.shown {
				t.Errorf("the server was told %q", heard)
			}
			if strings.Contains(said, secret) {
				t.Errorf("the password shows: %s", said)
			}
		})
	}
}

// forEver asks for one method after the other.
func forEver(method string) (packets []string) {
	for range 100 {
		packets = append(packets, mysqltest.Switch(method), "")
	}
	return packets
}

func serveOnce(l net.Listener, s mysqltest.Server) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	s.Serve(c)
}

// TestTLSAfterTheGreeting: what follows the greeting in plain text must not be
// taken for what was said within TLS.
func TestTLSAfterTheGreeting(t *testing.T) {
	target := listen(t, func(c net.Conn) {
		_, _ = c.Write([]byte(mysqltest.Greeting(methodNative, mysqltest.TLS) + mysqltest.Packet(2, mysqltest.OK)))
		time.Sleep(100 * time.Millisecond)
		c.Close()
	})
	target.TLS = TLSUnverified
	if kind, _, text, _ := connect(t, target, 2*time.Second); kind != NotMySQL || !strings.Contains(text, "after its greeting") {
		t.Errorf("kind %v, %s", kind, text)
	}
}
