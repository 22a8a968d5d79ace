// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls of each process, by number and error: how many, how long they took,
 * and what they returned. internal/probe/event/syscalls reads the sums.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

struct thread_info {
	unsigned long flags;
	unsigned int status;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	char comm[16];
} CORE;

#include "pidns.h"
#include "syscall.h"

#define SUMS 8192
#define OTHER_TABLE 0xffff /* the number of all 32-bit calls */
#define MAX_ERRNO 4095

/* Of include/uapi/linux/bpf.h. */
#define BPF_MAP_TYPE_PERCPU_HASH 5
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_F_NO_PREALLOC 1

/* The call that a thread is in. */
struct call {
	__u64 since; /* 0: in none that was seen to begin */
	__u32 number;
	__u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

struct key {
	__u32 pid;
	__u16 number, error; /* error 0: it succeeded */
};

struct sum {
	__u64 calls, ns, longest;
	__u64 returned; /* sum of the results above 0 */
	__u64 nothing;  /* results that were 0 */
	__u64 started;  /* of the process, ns since boot */
	char process[16];
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

#include "sums.h"

SEC("tp_btf/sys_enter")
int entered(__u64 *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct call *c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!c)
		return 0;
	c->number = other_table(t) ? OTHER_TABLE : (__u16)ctx[1];
	c->since = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int left(__u64 *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct call *c = bpf_task_storage_get(&calls, t, 0, 0);
	void *map = too ? (void *)&sums_too : (void *)&sums;
	__s64 result = ctx[1];
	struct key k = {};
	struct sum *s;
	__u64 ns;

	/* A new process returns from a call that it did not make. */
	if (!c || !c->since)
		return 0;
	ns = bpf_ktime_get_ns() - c->since;
	c->since = 0;
	k.pid = reader_level ? process_number(t) : t->tgid;
	if (!k.pid)
		return 0;
	k.number = c->number;
	if (result < 0 && result >= -MAX_ERRNO)
		k.error = -result;
	s = bpf_map_lookup_elem(map, &k);
	if (!s && !(s = make(map, &k, t))) {
		__sync_fetch_and_add(&crowded, 1);
		__sync_fetch_and_add(&crowded_ns, ns);
		return 0;
	}
	s->calls++;
	s->ns += ns;
	if (ns > s->longest)
		s->longest = ns;
	if (result > 0)
		s->returned += result;
	else if (!result)
		s->nothing++;
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
