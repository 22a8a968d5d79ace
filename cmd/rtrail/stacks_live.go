package main

import (
	"context"
	"errors"
	"io"

	"rtrail/internal/stack"
)

// watch samples a live process.
func (s *stacksJob) watch(ctx context.Context, stderr io.Writer, threads map[int32]float64) (*stack.Profile, []string, error) {
	return nil, nil, errors.New("not yet")
}
