package kernel

// recordedTasks is what testdata/tasks.bin holds: a shell, a program with two
// threads and its child, which ended and was not waited for.
var recordedTasks = []Task{
	{
		TID: 1, TGID: 1, State: 'S', Threads: 1, Processor: 1, Start: 12908624555778,
		Counters:  Counters{RunTime: 867763, RunDelay: 536981, Slices: 4, Voluntary: 4, MinorFaults: 87, IO: IO{ReadChars: 3980, ReadCalls: 8}},
		Group:     Counters{IO: IO{ReadChars: 6976, ReadCalls: 10}},
		ChildUser: 884726,
		CgroupSet: 0xffff888140b51400, NetNS: 4026531833, UID: 0,
	},
	{
		TID: 2, TGID: 2, PPID: 1, State: 'S', Threads: 2, Processor: 0, Start: 12908625232445,
		Counters:  Counters{RunTime: 51507699, RunDelay: 8481490, Slices: 135, Voluntary: 14, Involuntary: 121, MinorFaults: 2973, IO: IO{ReadChars: 1411923, WriteChars: 5237, ReadCalls: 228, WriteCalls: 2, WriteBytes: 28672}},
		Group:     Counters{IO: IO{ReadChars: 273935, WriteChars: 1480, ReadCalls: 440, WriteCalls: 28}},
		ChildUser: 44696715, ChildSystem: 2891963,
		CgroupSet: 0xffff888140b51400, NetNS: 4026531833, UID: 0,
	},
	{
		TID: 44, TGID: 2, PPID: 1, State: 'S', Threads: 2, Processor: 1, Start: 12908758639457,
		Counters: Counters{RunTime: 112856, RunDelay: 1907408, Slices: 1, Voluntary: 1, MinorFaults: 4},
	},
	{
		TID: 45, TGID: 45, PPID: 2, State: 'Z', Threads: 1, Processor: 1, Start: 12908764520898,
		Counters:  Counters{RunTime: 1362988, RunDelay: 66551, Slices: 4, Voluntary: 1, Involuntary: 3, MinorFaults: 229},
		Group:     Counters{},
		CgroupSet: 0xffff888140b51400, NetNS: 0, UID: 0,
	},
}

var recordedNames = []string{"sh", "python3", "python3", "python3"}
