package promquery

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/httpclient"
	"rtrail/internal/unit"
	"rtrail/internal/version"
)

const (
	// maxError bounds what is read of an answer that is an error.
	maxError = 64 << 10
	// maxRedirects on one host.
	maxRedirects = 3
)

// client asks one server.
type client struct {
	base *url.URL
	auth string
	http http.Client
}

// Check says why an address cannot be that of Prometheus.
func Check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("it takes an address with http:// or https://")
	case u.Hostname() == "":
		return errors.New("it names no host")
	case u.User != nil:
		return errors.New("a password here is shown by ps: put USER:PASSWORD, or a token, into a file (--prometheus-auth FILE) or into $" + Env)
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("it takes what stands before /api/v1, without ? and #")
	}
	return nil
}

// Env is the variable of the environment with USER:PASSWORD or a token.
const Env = "RTRAIL_PROMETHEUS_AUTH"

func newClient(base *url.URL, auth string) *client {
	return &client{base: base, auth: auth, http: httpclient.New(maxRequest, maxRequest/3, func(next *http.Request, via []*http.Request) error {
		if next.URL.Host != base.Host || next.URL.Scheme != base.Scheme || len(via) > maxRedirects {
			return http.ErrUseLastResponse
		}
		return nil
	})}
}

// name is the address, as it is safe to print.
func (c *client) name() string { return c.base.String() }

// exposed says that a password can be read on its way.
func (c *client) exposed() bool {
	ip := net.ParseIP(c.base.Hostname())
	return c.auth != "" && c.base.Scheme == "http" && c.base.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// get asks one endpoint of the API, and takes an answer that is a JSON object of at most limit bytes.
func (c *client) get(ctx context.Context, endpoint string, q url.Values, limit int64) ([]byte, error) {
	u := c.base.JoinPath("api/v1", endpoint)
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("this address cannot be used")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "rtrail/"+version.String())
	if user, password, basic := strings.Cut(c.auth, ":"); basic {
		req.SetBasicAuth(user, password)
	} else if c.auth != "" {
		req.Header.Set("Authorization", "Bearer "+c.auth)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.reason(endpoint, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError))
		return nil, c.refused(endpoint, resp, body)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, c.reason(endpoint, err)
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("%s answered with more than %v; choose a shorter time, or one --instance", endpoint, unit.Bytes(limit))
	case !budget.From(ctx).Take(int64(len(body))):
		return nil, fmt.Errorf("%s answered with %v: %w; choose a shorter time", endpoint, unit.Bytes(len(body)), budget.ErrSpent)
	case !strings.HasPrefix(strings.TrimLeft(string(body[:min(len(body), 100)]), " \t\r\n"), "{"):
		return nil, fmt.Errorf("%s answered %d, but no JSON: %s; is that address the one of Prometheus, and is a login needed (--prometheus-auth FILE)?", endpoint, resp.StatusCode, firstLine(c.hide(string(body))))
	}
	return body, nil
}

// reason is why there is no answer. Errors of net/http begin with the whole query.
func (c *client) reason(endpoint string, err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%s gave no whole answer within %v; choose a shorter time, or look at the server", endpoint, maxRequest.Round(time.Second))
	}
	err = httpclient.Cause(err)
	if words := err.Error(); c.hide(words) != words {
		err = errors.New(c.hide(words))
	}
	return fmt.Errorf("%s: %w; check the address, and HTTP_PROXY, HTTPS_PROXY and NO_PROXY", endpoint, err)
}

// hide takes the secret out of what a server or proxy says: some repeat the request.
func (c *client) hide(said string) string {
	if c.auth == "" {
		return said
	}
	list := []string{c.auth, "***", base64.StdEncoding.EncodeToString([]byte(c.auth)), "***"}
	if _, password, _ := strings.Cut(c.auth, ":"); password != "" {
		list = append(list, password, "***")
	}
	return strings.NewReplacer(list...).Replace(said)
}

// refused is an answer that is an error: its status, what it says, and what helps.
func (c *client) refused(endpoint string, resp *http.Response, body []byte) error {
	words := fmt.Sprintf("%s answered %d %s", endpoint, resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		where := ""
		if to, err := resp.Location(); err == nil && to.Host != "" {
			where = fmt.Sprintf(" to %.100q", to.Scheme+"://"+to.Host)
		}
		return fmt.Errorf("%s, a redirect%s: only those on the same host are followed; give the address itself", words, where)
	}
	var said struct{ ErrorType, Error string }
	if json.Unmarshal(body, &said) == nil && said.Error != "" {
		words += fmt.Sprintf(": %.40q: %.300q", c.hide(said.ErrorType), c.hide(said.Error))
	} else {
		words += ": " + firstLine(c.hide(string(body)))
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		words += "; give USER:PASSWORD or a token in a file (--prometheus-auth FILE) or in $" + Env
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		words += "; is that address the one of Prometheus? It is what stands before /api/v1"
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		words += "; choose a shorter time, or check --instance"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		words += "; try again later, or with a shorter time"
	}
	return errors.New(words)
}

// firstLine is the first line of a body that says something, quoted.
func firstLine(body string) string {
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" {
			return fmt.Sprintf("%.200q", strings.ToValidUTF8(line, "?"))
		}
	}
	return "an empty answer"
}
