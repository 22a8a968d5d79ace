// Package watch makes faults of the verdicts of successive windows, as they come: when
// one begins, changes its cause and ends. It decides what is worth a notice, and does no
// I/O: its state is bytes that somebody else keeps.
//
// # When a fault is told
//
//   - It begins in the second successive window that has it, or in the first one if it is
//     certain and costs at least atOnce. Findings that are only possible are none.
//   - It ends when endAfter judged windows in a row do not have it. Windows in which its rule
//     could not be judged, or only on evidence with holes, end nothing.
//   - One that comes back within flapping is the same fault, and has to be gone twice as
//     long with each time before it ends again.
//   - Findings that explain each other are one fault. If it gets another cause, it changes
//     when two successive windows have the new one, twice as many with each change.
package watch

import "time"

const (
	// atOnce is the weight from which a certain finding is told at once: a quarter second
	// lost each second, or a fifth of what a program does.
	atOnce = 0.2
	// confirm is how many successive windows have a fault, or its new cause, before it is told. A
	// window that a fault fills only in part may have a symptom, or chance.
	confirm = 2
	// endAfter is how many successive judged windows do not have a fault that is over.
	endAfter = 2
	// flapping is how long a fault that ended is remembered. It is also the longest time
	// that one which flaps has to be gone.
	flapping = 5 * time.Minute
	// leastFlaps: with a longer step, it is remembered for as many windows.
	leastFlaps = 10
	// unjudgedFor is after how long a fault ends whose rule cannot be judged any more, as
	// after a restart with fewer rights: nobody wants an alert that stays forever.
	unjudgedFor = time.Hour
	// perRule is how many faults of one rule are told at a time: a thousand listeners with
	// full queues are a thousand findings. The others are counted.
	perRule = 3
	// maxSeen bounds the findings of a window, in the order of the verdict.
	maxSeen = 100
	// maxAlike bounds those of one rule, but for those that go on: a flood of one kind hides no others.
	maxAlike = 10
	// maxFaults bounds the faults that are kept, told or not.
	maxFaults = 300
	// maxMembers bounds the findings of a fault that are remembered.
	maxMembers = 50
)
