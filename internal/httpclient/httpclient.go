// Package httpclient makes clients of servers that users name, for a few small requests: one
// connection, certificates are verified, headers of answers and waits are bounded.
package httpclient

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 32 << 10
	// idle is how long a connection is kept between two requests.
	idle = 2 * time.Minute
)

// New makes a client. A request takes at most timeout, to connect and the handshake of TLS at most
// connect each. redirect is http.Client.CheckRedirect.
func New(timeout, connect time.Duration, redirect func(next *http.Request, via []*http.Request) error) http.Client {
	return http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy:                  proxy,
			DialContext:            (&net.Dialer{Timeout: connect}).DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connect,
			MaxResponseHeaderBytes: maxHeader,
			MaxConnsPerHost:        1,
			IdleConnTimeout:        idle,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: redirect,
	}
}

// errProxy does not quote the value, which may hold a password.
var errProxy = errors.New("HTTP_PROXY or HTTPS_PROXY is no address of a proxy, such as http://PROXY:3128")

// proxy is the one that the environment names for a request. net/http takes http:// and what
// is no URL for a host of the name "http" with the rest as its path.
func proxy(r *http.Request) (*url.URL, error) {
	p, err := http.ProxyFromEnvironment(r)
	if err != nil || p != nil && (p.Hostname() == "" || strings.HasPrefix(p.Path, "//")) {
		return nil, errProxy
	}
	return p, nil
}

// Cause is why a request failed: errors of http.Client begin with its URL, which may hold a secret.
func Cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
