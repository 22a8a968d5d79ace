package main

import (
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// takeServerName copies the name of a server from the command line and writes
// over the password there, so that ps, /proc and recordings of processes do not
// show it. Until this runs, a few milliseconds after the start, they do.
func takeServerName(s string) string {
	name := strings.Clone(s)
	from, to := passwordIn(name)
	if from == to {
		return name
	}
	low, high := argumentArea()
	for _, arg := range os.Args {
		if !strings.HasSuffix(arg, name) {
			continue
		}
		// os.Args are slices of the memory that the kernel shows in
		// /proc/PID/cmdline. Others may have put constants there, which must not
		// be written to: hence the look at the area.
		begin := uintptr(unsafe.Pointer(unsafe.StringData(arg)))
		if begin < low || begin+uintptr(len(arg)) > high {
			continue
		}
		b := unsafe.Slice(unsafe.StringData(arg), len(arg))[len(arg)-len(name):]
		for i := from; i < to; i++ {
			b[i] = 'x'
		}
	}
	return name
}

// passwordIn is where the password of a server's name begins and ends.
func passwordIn(name string) (from, to int) {
	begin := 0
	if i := strings.Index(name, "://"); i >= 0 {
		begin = i + len("://")
	}
	at := strings.LastIndexByte(name, '@')
	if at < begin {
		return 0, 0
	}
	colon := strings.IndexByte(name[begin:at], ':')
	if colon < 0 {
		return 0, 0
	}
	return begin + colon + 1, at
}

// argumentArea is where the kernel keeps the command line: fields 48 and 49 of
// /proc/self/stat, arg_start and arg_end.
func argumentArea() (low, high uintptr) {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0
	}
	_, rest, ok := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 47 {
		return 0, 0
	}
	start, err1 := strconv.ParseUint(fields[45], 10, 64) // the first of them is field 3
	end, err2 := strconv.ParseUint(fields[46], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return uintptr(start), uintptr(end)
}
