// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that begin, change their program and end: one event each, in a
 * ring buffer. internal/probe/event/exec parses them.
 */
#include "kernel.h"
#include "ring.h"

char LICENSE[] SEC("license") = "GPL";

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	int group_exit_code;
	unsigned int flags;
	unsigned long long sum_sched_runtime;
} CORE;

#define SIGNAL_GROUP_EXIT 4

struct sched_entity {
	__u64 sum_exec_runtime;
} CORE;

struct mm_struct {
	unsigned long arg_start, arg_end;
} CORE;

struct pid;

struct task_struct {
	int pid, tgid, exit_code;
	struct task_struct *real_parent, *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	struct sched_entity se;
	struct signal_struct *signal;
	struct mm_struct *mm;
	char comm[16];
} CORE;

#include "pidns.h"

/* Twice what is kept of a command line: secrets that begin before the cut show as such. */
#define ARGS 512

enum kind { FORK = 1, EXEC = 2, EXIT = 3 };

struct event {
	__u64 at, started; /* ns since boot: of the monotonic clock, with suspend */
	__u64 cpu;         /* ns that all threads ran, of EXIT */
	__u32 kind, pid, ppid, code;
	char comm[16];
};

struct exec_event {
	struct event event;
	__u32 length, whole; /* bytes of args, and of all that there were */
	char args[ARGS];
};

static __always_inline void fill(struct event *e, enum kind kind, struct task_struct *leader, __u32 pid)
{
	e->at = bpf_ktime_get_ns();
	e->started = BPF_CORE_READ(leader, start_boottime);
	e->cpu = 0;
	e->kind = kind;
	e->pid = pid;
	e->ppid = process_number(BPF_CORE_READ(leader, real_parent));
	e->code = 0;
	bpf_core_read(e->comm, sizeof(e->comm), &leader->comm);
}

SEC("tp_btf/sched_process_fork")
int forked(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct event *e;
	__u32 pid;

	if (child->pid != child->tgid || !(pid = task_number(child)))
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e)
		return lose();
	fill(e, FORK, child, pid);
	e->ppid = process_number(parent);
	bpf_ringbuf_submit(e, wake());
	return 0;
}

SEC("tp_btf/sched_process_exec")
int executed(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u64 start = task->mm->arg_start, length = task->mm->arg_end - start;
	struct exec_event *e;
	__u32 pid = process_number(task);

	if (!pid)
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e)
		return lose();
	fill(&e->event, EXEC, task, pid);
	e->whole = length;
	if (length > ARGS)
		length = ARGS;
	barrier_var(length); /* the verifier looks for the bound in the register that is used */
	if (bpf_probe_read_user(e->args, length, (void *)start))
		length = 0;
	e->length = length;
	bpf_ringbuf_submit(e, wake());
	return 0;
}

/* The last thread of a process that ends ends the process. */
SEC("tp_btf/sched_process_exit")
int exited(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0], *leader = task->group_leader;
	struct signal_struct *signal = task->signal;
	struct event *e;
	__u32 pid;

	if (signal->live.counter || !(pid = process_number(task)))
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e)
		return lose();
	fill(e, EXIT, leader, pid);
	e->cpu = signal->sum_sched_runtime + task->se.sum_exec_runtime;
	if (leader != task)
		e->cpu += BPF_CORE_READ(leader, se.sum_exec_runtime);
	e->code = signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code : leader->exit_code;
	bpf_ringbuf_submit(e, wake());
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
