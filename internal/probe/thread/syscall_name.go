package thread

import (
	"runtime"
	"slices"
	"sync"
)

// syscallNames are the names by number, on this machine.
var syscallNames = sync.OnceValue(func() map[int32]string {
	names := make(map[int32]string, len(syscalls))
	for _, call := range syscalls {
		number := call.amd64
		if runtime.GOARCH == "arm64" {
			number = call.arm64
		}
		names[number] = call.name
	}
	delete(names, -1)
	return names
})

// SyscallName is the name of a system call of this machine; "" if its number is not
// known.
func SyscallName(number int32) string { return syscallNames()[number] }

// SyscallNumbers are the numbers that system calls of these names have on this
// machine, in order. It may lack some of them.
func SyscallNumbers(names ...string) []int32 {
	var numbers []int32
	for number, name := range syscallNames() {
		if slices.Contains(names, name) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers
}
