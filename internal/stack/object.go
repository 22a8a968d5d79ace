package stack

import (
	"bytes"
	"slices"
)

// lookFor is how many frames from the innermost one may tell of a lock.
const lookFor = 8

// mayWaitForLock says whether the innermost frames have to do with a lock, so
// that it is worth asking which.
func mayWaitForLock(t *thread) bool {
	if len(t.frames[0].raw) == 0 {
		return false
	}
	for _, f := range t.frames[:min(len(t.frames), lookFor)] {
		for _, word := range lockWords {
			if bytes.Contains(f.function, word) {
				return true
			}
		}
	}
	return false
}

var lockWords = [][]byte{[]byte("lock"), []byte("mutex"), []byte("futex"), []byte("latch"), []byte("cond_wait"), []byte("Lock"), []byte("sem_wait")}

// wrappers are files of the C library, the mutex layers of servers and the
// like: a place in them tells nothing about which lock it is.
var wrappers = [][]byte{
	[]byte("nptl"), []byte("lowlevellock"), []byte("pthread_"), []byte("futex"), []byte("cancellation"), []byte("mysql_thread.h"), []byte("psi_"),
	[]byte("os0sync"), []byte("sync0"), []byte("ut0mutex"), []byte("ib0mutex"), []byte("srw_lock"), []byte("my_pthread"), []byte("thr_mutex"), []byte("thr_rwlock"),
	[]byte("sysdeps"), []byte("std_mutex.h"), []byte("gthr-default.h"), []byte("unique_lock.h"), []byte("condition_variable"), []byte("syscall-template"),
}

// objectOf says what a thread waits for, as far as its innermost frames tell:
// the symbol or the address of the lock, and the place in the program where it
// was asked for: "table_cache_manager+64, table_cache.h:115".
func objectOf(t *thread) string {
	var symbol, address, place []byte
	for _, f := range t.frames[:min(len(t.frames), lookFor)] {
		raw := withoutStrings(f.raw)
		if symbol == nil {
			named, at := lockIn(raw)
			symbol = named
			if address == nil {
				address = at
			}
		}
		if place == nil {
			place = placeIn(raw)
		}
	}
	which := symbol
	if which == nil {
		which = address
	}
	switch {
	case which == nil:
		return string(place)
	case place == nil:
		return string(which)
	}
	return string(which) + ", " + string(place)
}

// lockArguments are the names that parameters for locks have. Of "this", the
// object a method belongs to, only one that has a name, as those that live as
// long as the program, tells which lock is meant.
var lockArguments = [][]byte{
	[]byte("mutex"), []byte("that"), []byte("rwlock"), []byte("lock"), []byte("futex"), []byte("futex_word"),
	[]byte("cond"), []byte("rw"), []byte("latch"), []byte("sem"),
}

// lockIn finds a lock in the arguments of a frame: its address, or the name of
// its variable, as in "this=0x1a2b <table_cache_manager+64>".
func lockIn(line []byte) (symbol, address []byte) {
	for at := 0; ; {
		next := bytes.Index(line[at:], []byte("=0x"))
		if next < 0 {
			return symbol, address
		}
		at += next
		name := line[bytes.LastIndexAny(line[:at], " (,@")+1 : at]
		from := at + 1
		to := from + len("0x")
		for to < len(line) && isHex(line[to]) {
			to++
		}
		at = to
		isLock := slices.ContainsFunc(lockArguments, func(l []byte) bool { return bytes.Equal(l, name) })
		if isLock && address == nil {
			address = line[from:to]
		}
		if symbol == nil && (isLock || string(name) == "this") && bytes.HasPrefix(line[to:], []byte(" <")) {
			if end := bytes.IndexByte(line[to:], '>'); end > 2 {
				symbol = line[to+2 : to+end]
			}
		}
	}
}

// placeIn finds the source line of a frame, " at ../sql/table_cache.h:115",
// unless it is in a wrapper.
func placeIn(line []byte) []byte {
	at := bytes.LastIndex(line, []byte(" at "))
	if at < 0 {
		return nil
	}
	place := bytes.TrimSpace(line[at+4:])
	for _, w := range wrappers {
		if bytes.Contains(place, w) {
			return nil
		}
	}
	place = place[bytes.LastIndexByte(place, '/')+1:]
	if bytes.IndexByte(place, ':') <= 0 {
		return nil
	}
	return place
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
