package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"rtrail/internal/watch"
)

// Forms are those of receivers, for help and errors.
const Forms = "exec:COMMAND, https://HOST/PATH, alertmanager+https://HOST:9093; http works, too"

// Target is a receiver.
type Target struct {
	ID   string // tells it from others, and does not tell its address
	Name string // for messages: without what may be secret

	// send hands over a notice.
	send func(context.Context, *watch.Notice) error
	// refresh says again what is there; nil: the receiver remembers it.
	refresh func(ctx context.Context, open []watch.Notice) error
}

// Parse reads the name of a receiver. Errors do not repeat it: it may hold a password.
func Parse(name string) (*Target, error) {
	sum := sha256.Sum256([]byte(name))
	t := &Target{ID: hex.EncodeToString(sum[:6])}
	if command, ok := strings.CutPrefix(name, "exec:"); ok {
		return t.command(strings.Fields(command))
	}
	address, alerts := strings.CutPrefix(name, "alertmanager+")
	u, err := url.Parse(address)
	switch {
	case err != nil: // which quotes the address
		return nil, errors.New("this is no URL; a receiver is one of " + Forms)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("a receiver is one of " + Forms)
	case u.Fragment != "":
		return nil, errors.New("a receiver's URL has no fragment (#)")
	}
	t.Name = u.Scheme + "://" + u.Host
	c := newClient(u)
	if !alerts {
		t.send = c.webhook
		return t, nil
	}
	t.Name = "alertmanager+" + t.Name
	if strings.Trim(u.Path, "/") == "" || !strings.HasSuffix(u.Path, "/alerts") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/api/v2/alerts"
	}
	t.send, t.refresh = c.alert, c.again
	return t, nil
}

func (t *Target) command(words []string) (*Target, error) {
	if len(words) == 0 {
		return nil, errors.New("exec: names no command")
	}
	path, err := exec.LookPath(words[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	t.Name = "exec:" + words[0]
	t.send = func(ctx context.Context, n *watch.Notice) error { return run(ctx, path, words[1:], n) }
	return t, nil
}

// timeout is how long a receiver may take for a notice.
const timeout = 20 * time.Second
