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
	unsigned int __state, flags;
	int pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_time, start_boottime;
	char comm[16];
} CORE;

#include "pidns.h"
#include "syscall.h"

#define OTHER_TABLE 0xffff /* the number of all 32-bit calls */

#include "slice.h"

#define SUMS 8192
#define MAX_ERRNO 4095

/* Of include/uapi/linux/bpf.h. */
#define BPF_MAP_TYPE_PERCPU_HASH 5
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_F_NO_PREALLOC 1

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
	struct task_struct *t;
	struct call *c;

	if (!counting)
		return 0;
	t = bpf_get_current_task_btf();
	c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (c)
		enter(c, other_table(t) ? OTHER_TABLE : (__u16)ctx[1]);
	return 0;
}

/* add adds a call, or a part of one, to a sum; 0: there is no room for it. */
static __always_inline struct sum *add(struct task_struct *t, struct key *k, __u64 ns)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct sum *s = bpf_map_lookup_elem(map, k);

	if (!s && !(s = make(map, k, t))) {
		__sync_fetch_and_add(&crowded, 1);
		__sync_fetch_and_add(&crowded_ns, ns);
		return 0;
	}
	s->ns += ns;
	if (ns > s->longest)
		s->longest = ns;
	return s;
}

SEC("tp_btf/sys_exit")
int left(__u64 *ctx)
{
	struct task_struct *t;
	__s64 result = ctx[1], ns;
	struct key k = {};
	struct call *c;
	struct sum *s;
	int seen;

	/* What ends when the slice has ended is as pending finds it. */
	if (!counting)
		return 0;
	t = bpf_get_current_task_btf();
	c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c)
		return 0;
	seen = c->at >= began;
	ns = spent(c, t);
	k.pid = reader_level ? process_number(t) : t->tgid;
	if (ns < 0 || !k.pid)
		return 0;
	if (seen)
		k.number = c->number;
	else
		k.number = other_table(t) ? OTHER_TABLE : call_number((void *)ctx[0]);
	if (result < 0 && result >= -MAX_ERRNO)
		k.error = -result;
	s = add(t, &k, ns);
	if (!s)
		return 0;
	s->calls++;
	if (result > 0)
		s->returned += result;
	else if (!result)
		s->nothing++;
	return 0;
}

/* The reader counts calls that go on when a slice ends, up to now. */
SEC("iter/task")
int under_way(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct key k = {};
	__u32 number = 0;
	__s64 ns;

	if (!t)
		return 0;
	ns = pending(bpf_task_storage_get(&calls, t, 0, 0), t, &number);
	if (ns < 0 || !(k.pid = process_number(t)))
		return 0;
	k.number = number;
	add(t, &k, ns);
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
