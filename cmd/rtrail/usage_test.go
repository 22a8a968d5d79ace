package main

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
)

// Every verb knows --no-color, which does what NO_COLOR does.
func TestNoColor(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"explain", "load"}, {"packets", "--help"}, {"mysql", "audit", "--help"}, {"lab", "list"}} {
		t.Setenv("NO_COLOR", "")
		t.Setenv("TERM", "xterm")
		for _, flag := range []string{"", "--no-color"} {
			all := args
			if flag != "" {
				all = append([]string{flag}, args...)
			}
			if code := run(all, io.Discard, os.Stderr); code != exitOK {
				t.Errorf("%v exits with %d", all, code)
			}
		}
		help := args[len(args)-1] == "--help" // prints no colours, runs nothing
		if colours() && !help {
			t.Errorf("%v --no-color: colours are on", args)
		}
	}
}

type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }

// Help is output like any other.
func TestHelpNotWritten(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"packets", "--help"}, {"help", "packets"}, {"mysql", "audit", "-h"}} {
		for _, tc := range []struct {
			err  error
			want int
		}{{syscall.ENOSPC, exitFailed}, {errors.New("broken"), exitFailed}, {syscall.EPIPE, exitOK}} {
			if code := run(args, fullDisk{tc.err}, io.Discard); code != tc.want {
				t.Errorf("%v, %v: exits with %d, want %d", args, tc.err, code, tc.want)
			}
		}
	}
}
