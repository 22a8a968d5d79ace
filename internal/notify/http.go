package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"rtrail/internal/document"
	"rtrail/internal/httpclient"
	"rtrail/internal/version"
	"rtrail/internal/watch"
)

// maxReply is how much of an answer is read, so that its connection can be used again.
const maxReply = 64 << 10

// client sends to one address.
type client struct {
	url  *url.URL
	http http.Client
}

func newClient(u *url.URL) *client {
	never := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{url: u, http: httpclient.New(timeout, timeout/2, never)}
}

// post sends a value as JSON.
func (c *client) post(ctx context.Context, value any) error {
	body, err := document.AppendJSON(nil, value)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("this address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "rtrail/"+version.String())
	resp, err := c.http.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxReply) // only the status counts
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		return nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Errorf("it answered %d, a redirect%s: these are not followed", resp.StatusCode, elsewhere(resp))
	}
	err = fmt.Errorf("it answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return &refusedError{err}
	}
	return err
}

// refusedError says that a receiver will never take this notice. Others wait behind it.
type refusedError struct{ error }

// elsewhere names the host that a redirect leads to.
func elsewhere(resp *http.Response) string {
	if to, err := resp.Location(); err == nil && to.Host != "" {
		return fmt.Sprintf(" to %.100q", to.Host)
	}
	return ""
}

// withoutURL is what went wrong with a request: errors of net/http begin with the URL.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok && u.Timeout() {
		return fmt.Errorf("no answer within %v", timeout)
	}
	return httpclient.Cause(err)
}

// hook is what a webhook gets.
type hook struct {
	watch.Notice
	Text string `json:"text"`
}

func (c *client) webhook(ctx context.Context, n *watch.Notice) error {
	return c.post(ctx, hook{*n, n.Text()})
}
