// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that wait until data is on the disk, by process, call and file: how many,
 * how long they took, and which failed. They are seen either as system calls, of which
 * all others are let go at the first comparison, or where ext4 begins them, which
 * costs nothing else. internal/probe/event/syncs reads the sums.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;
struct files_struct;

struct thread_info {
	unsigned long flags;
	unsigned int status;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	unsigned int __state, flags;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct files_struct *files;
	__u64 start_time, start_boottime;
	char comm[16];
} CORE;

#define PATHS 2048

#include "pidns.h"
#include "steps.h"
#include "syscall.h"

/* Threads of the kernel, among them those of io_uring, are in no system call. */
#define NO_CALL 0xffff
#define OTHER_TABLE 0xfffe

#include "slice.h"
#include "path.h"

#define SUMS 4096

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_F_NO_PREALLOC 1

/* Numbers of calls, a bit each; set by the reader. */
#define NUMBERS 512
volatile __u64 wanted[NUMBERS / 64];  /* all that are looked at */
volatile __u64 of_file[NUMBERS / 64]; /* those of a descriptor */

static __always_inline int has(volatile __u64 *set, __u32 number)
{
	__u32 word = number / 64;

	if (number >= NUMBERS)
		return 0;
	barrier_var(word); /* the verifier looks for the bound in the register that is used */
	return word < NUMBERS / 64 && set[word] >> (number & 63) & 1;
}

struct key {
	struct file_id file;
	__u32 pid, number;
};

/* The call that a thread is in, and its file. */
struct sync {
	struct call call;
	struct file_id file;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sync);
} calls SEC(".maps");

struct sum {
	__u64 calls, errors, ns, longest;
	__u64 started; /* of the process, ns since boot */
	char process[16];
	__u32 steps[STEPS]; /* calls that took less than 1 us, 2 us, 4 us and so on */
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

#include "sums.h"

/* find_file notes the file that a call names. */
static __always_inline void find_file(struct sync *c, struct task_struct *t, __u32 number, __u64 descriptor)
{
	struct file *f;

	__builtin_memset(&c->file, 0, sizeof(c->file));
	if (has(of_file, number) && (f = file_of(t, descriptor))) {
		c->file = id_of(f);
		learn_path(&c->file, f);
	}
}

SEC("tp_btf/sys_enter")
int sync_entered(__u64 *ctx)
{
	__u32 number = ctx[1];
	struct task_struct *t;
	struct sync *c;

	if (!counting || !has(wanted, number))
		return 0;
	t = bpf_get_current_task_btf();
	if (other_table(t))
		return 0;
	c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c)
		return 0;
	find_file(c, t, number, first_argument((void *)ctx[0]));
	enter(&c->call, number);
	return 0;
}

/* add adds a call, or a part of one, to its sum; 0: there is none. */
static __always_inline struct sum *add(struct task_struct *t, struct sync *c, __u32 number, __s64 ns)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct key k = {};
	struct sum *s;

	k.pid = process_number(t);
	if (ns < 0 || !k.pid)
		return 0;
	k.file = c->file;
	k.number = number;
	s = bpf_map_lookup_elem(map, &k);
	if (!s && !(s = make(map, &k, t))) {
		__sync_fetch_and_add(&crowded, 1);
		__sync_fetch_and_add(&crowded_ns, ns);
		return 0;
	}
	__sync_fetch_and_add(&s->ns, ns);
	if (ns > s->longest)
		s->longest = ns;
	return s;
}

/* count adds the call that a thread ends. */
static __always_inline int count(struct task_struct *t, struct sync *c, __u32 number, int failed)
{
	int whole = c->call.at >= began;
	__s64 ns = spent(&c->call, t);
	struct sum *s = add(t, c, number, ns);
	__u32 step;

	if (!s)
		return 0;
	__sync_fetch_and_add(&s->calls, 1);
	if (failed)
		__sync_fetch_and_add(&s->errors, 1);
	step = step_of(ns / 1000);
	if (whole && step < STEPS)
		__sync_fetch_and_add(&s->steps[step], 1);
	return 0;
}

SEC("tp_btf/sys_exit")
int sync_left(__u64 *ctx)
{
	__u32 number = call_number((void *)ctx[0]);
	struct task_struct *t;
	struct sync *c;

	if (!counting || !has(wanted, number))
		return 0;
	t = bpf_get_current_task_btf();
	if (other_table(t))
		return 0;
	c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c)
		return 0;
	if (c->call.at < began)
		find_file(c, t, number, argument((void *)ctx[0], 0));
	return count(t, c, number, (__s64)ctx[1] < 0);
}

/* The reader counts calls that go on when a slice ends, up to now. */
SEC("iter/task")
int under_way(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct sync *c, fresh = {};
	__u32 number = 0;
	__s64 ns;

	if (!t)
		return 0;
	c = bpf_task_storage_get(&calls, t, 0, 0);
	ns = pending(c ? &c->call : 0, t, &number);
	if (ns < 0 || !has(wanted, number))
		return 0;
	if (!c || c->call.at < began) {
		c = &fresh;
		find_file(c, t, number, argument((void *)bpf_task_pt_regs(t), 0));
	}
	add(t, c, number, ns);
	return 0;
}

SEC("tp_btf/ext4_sync_file_enter")
int ext4_entered(__u64 *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct sync *c = bpf_task_storage_get(&calls, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct file *f = (void *)ctx[0];

	if (!counting || !c)
		return 0;
	c->file = id_of(f);
	learn_path(&c->file, f);
	enter(&c->call, 0);
	return 0;
}

SEC("tp_btf/ext4_sync_file_exit")
int ext4_left(__u64 *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct sync *c = bpf_task_storage_get(&calls, t, 0, 0);
	__u32 number = NO_CALL;

	/* What began before programs were attached has a file that is not known. */
	if (!counting || !c || !c->call.inside)
		return 0;
	if (!(t->flags & (PF_KTHREAD | PF_IO_WORKER)))
		number = other_table(t) ? OTHER_TABLE : call_number((void *)bpf_task_pt_regs(t));
	return count(t, c, number, (__s32)ctx[1] < 0);
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
