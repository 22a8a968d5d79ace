package stack

import "bytes"

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
		if symbol == nil {
			symbol = symbolIn(f.raw)
		}
		if address == nil {
			address = addressIn(f.raw)
		}
		if place == nil {
			place = placeIn(f.raw)
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

// lockArguments are the names that parameters for locks have.
var lockArguments = [][]byte{
	[]byte("mutex=0x"), []byte("that=0x"), []byte("rwlock=0x"), []byte("lock=0x"), []byte("futex=0x"), []byte("futex_word=0x"),
	[]byte("cond=0x"), []byte("rw=0x"), []byte("latch=0x"), []byte("sem=0x"),
}

// this is the object a method belongs to. Only one that has a name, as those
// that live as long as the program, tells which lock is meant.
var this = []byte("this=0x")

// symbolIn finds the name of a variable in the arguments of a frame:
// "this=0x1a2b <table_cache_manager+64>".
func symbolIn(line []byte) []byte {
	for _, name := range append(lockArguments[:len(lockArguments):len(lockArguments)], this) {
		_, rest := argument(line, name)
		if !bytes.HasPrefix(rest, []byte(" <")) {
			continue
		}
		if end := bytes.IndexByte(rest, '>'); end > 2 {
			return rest[2:end]
		}
	}
	return nil
}

func addressIn(line []byte) []byte {
	for _, name := range lockArguments {
		if address, _ := argument(line, name); address != nil {
			return address
		}
	}
	return nil
}

// argument finds the value of an argument, and what follows it.
func argument(line, name []byte) (address, rest []byte) {
	at := bytes.Index(line, name)
	if at < 0 {
		return nil, nil
	}
	from := at + len(name) - len("0x")
	to := from + len("0x")
	for to < len(line) && isHex(line[to]) {
		to++
	}
	return line[from:to], line[to:]
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
