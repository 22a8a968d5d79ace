// Package budget bounds the memory of a run. Whatever a run keeps of what it
// reads (rows, texts, dictionaries, stacks) is charged to one budget before it is
// allocated, so that a file of a stranger, or a night of a busy host, ends in
// "more than fits into memory" and not in the death of this process or of its
// neighbours.
package budget

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrSpent says that something did not fit.
var ErrSpent = errors.New("more than fits into memory")

// Budget is how many bytes may be kept. It may be used concurrently. The methods
// of a nil Budget refuse nothing.
type Budget struct {
	limit  int64
	used   atomic.Int64
	parent *Budget // is charged, too
}

// New makes a budget of some bytes.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Part is a budget for what is kept for a while: what it takes is charged to b,
// too, until Release.
func (b *Budget) Part() *Budget { return &Budget{limit: b.Limit(), parent: b} }

// Release gives back all that is charged.
func (b *Budget) Release() { b.Give(b.Used()) }

// Take charges bytes that are about to be allocated; false: they do not fit, and
// nothing was charged.
func (b *Budget) Take(bytes int64) bool {
	if b == nil || bytes == 0 {
		return true
	}
	for {
		used := b.used.Load()
		if bytes < 0 || bytes > b.limit-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+bytes) {
			break
		}
	}
	if !b.parent.Take(bytes) {
		b.used.Add(-bytes)
		return false
	}
	return true
}

// Give takes back what was charged and is no longer kept.
func (b *Budget) Give(bytes int64) {
	if b != nil {
		b.used.Add(-bytes)
		b.parent.Give(bytes)
	}
}

// Used is how many bytes are charged.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Limit is how many bytes may be charged.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 1<<63 - 1
	}
	return b.limit
}

type key struct{}

// With puts the budget of a run into its context.
func With(ctx context.Context, b *Budget) context.Context { return context.WithValue(ctx, key{}, b) }

// From is the budget of a run; one of its own, as large as this machine allows,
// where the context has none.
func From(ctx context.Context) *Budget {
	if b, ok := ctx.Value(key{}).(*Budget); ok {
		return b
	}
	return New(OfEvidence(Available("/")))
}
