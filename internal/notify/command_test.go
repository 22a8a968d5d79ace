package notify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/watch"
)

// script writes a command.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommand(t *testing.T) {
	t.Setenv("SECRET", "of the environment")
	out := filepath.Join(t.TempDir(), "out")
	path := script(t, `{ cat; env; echo "args $*"; } > "$1"`)
	n := full(watch.Began)
	n.Headline = "$(touch /tmp/x) `id` ; \"quoted\"\nsecond"
	if err := send(t, "exec:"+path+" "+out+" two;three", n); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"db1: disk/full began, since", "certain: $(touch /tmp/x) `id` ; \"quoted\" second\n", "RTRAIL_EVENT=began\n", "RTRAIL_RULE=disk/full\n", "RTRAIL_SUBJECT=db1/mount//var\n",
		"RTRAIL_HEADLINE=$(touch /tmp/x) `id` ; \"quoted\"\\nsecond\n", "RTRAIL_UNTIL=\n", "args " + out + " two;three\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "SECRET") {
		t.Error("the environment was passed on")
	}
}

func TestCommandFails(t *testing.T) {
	err := send(t, "exec:"+script(t, "echo first; echo 'no\033[31m route' >&2; exit 3\n"), full(watch.Began))
	if err == nil || err.Error() != `exit status 3: no\x1b[31m route` {
		t.Errorf("%v", err)
	}
	if err := send(t, "exec:"+script(t, "yes | head -c 10000000; exit 4\n"), full(watch.Began)); err == nil || len(err.Error()) > 2*maxTail {
		t.Errorf("%v", err)
	}
}

// Whom a command leaves behind is killed with it.
func TestCommandIsKilledWithItsGroup(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "alive")
	path := script(t, `(sleep 1.5; touch "$1") & echo started > "$1.started"; [ "$2" = ends ] || sleep 100`+"\n")
	target, err := Parse("exec:" + path + " " + mark)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(mark + ".started"); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := target.send(ctx, full(watch.Began)); err == nil {
		t.Error("no error")
	}
	if err := send(t, "exec:"+path+" "+mark+" ends", full(watch.Began)); err != nil {
		t.Errorf("one that ends well: %v", err)
	}
	time.Sleep(2 * time.Second)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a process of the group goes on")
	}
}
