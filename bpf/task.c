// SPDX-License-Identifier: GPL-2.0-only
/*
 * One row for every task (thread) of the reader's PID namespace, with the
 * counters from which the kernel makes stat, schedstat, status and io of
 * /proc/PID. The rows are what internal/probe/kernel/task.go parses.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

/* Also of the whole signal_struct: what ended threads did. */
struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw;
	__u64 read_bytes, write_bytes, cancelled_write_bytes;
} CORE;

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
} CORE;

struct sched_entity {
	__u64 sum_exec_runtime;
} CORE;

struct css_set {} CORE;

struct ns_common {
	unsigned int inum;
} CORE;

struct net {
	struct ns_common ns;
} CORE;

struct nsproxy {
	struct net *net_ns;
} CORE;

struct user_namespace {
	int level;
} CORE;

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid;
	struct user_namespace *user_ns;
} CORE;

struct signal_struct {
	int nr_threads;
	__u64 cutime, cstime;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	struct task_io_accounting ioac;
	unsigned long long sum_sched_runtime;
} CORE;

struct thread_info {
	__u32 cpu;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int exit_state;
	int static_prio;
	int pid, tgid;
	struct task_struct *real_parent, *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	struct sched_entity se;
	struct sched_info sched_info;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	struct task_io_accounting ioac;
	struct signal_struct *signal;
	const struct cred *real_cred;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;
	char comm[16];
} CORE;

/* Before Linux 5.14, where __state was called state. */
struct task_struct___before514 {
	long state;
} CORE;

/* Before Linux 5.16 some architectures keep the CPU in the task. */
struct task_struct___cpu {
	unsigned int cpu;
} CORE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} CORE;

struct io_row {
	__u64 rchar, wchar, syscr, syscw;
	__u64 read_bytes, write_bytes, cancelled_write_bytes;
};

struct task_row {
	__u32 size; /* of the whole row: that of a main thread goes on */
	__u32 tid, tgid, ppid;
	__u32 state, exit_state, flags;
	__s32 nr_threads, static_prio, cpu;
	__u64 start_boottime;
	__u64 run_time, run_delay, slices;
	__u64 nvcsw, nivcsw, min_flt, maj_flt;
	struct io_row io;
	char comm[16];
};

/* What ended threads and children left behind. */
struct group_row {
	struct task_row task;
	__u64 run_time, cutime, cstime;
	__u64 nvcsw, nivcsw, min_flt, maj_flt;
	struct io_row io;
	__u64 cgroups; /* address of the css_set: one for all in the same groups */
	__u32 netns, uid;
};

#define COPY_IO(to, from)                                              \
	do {                                                               \
		(to).rchar = (from).rchar;                                     \
		(to).wchar = (from).wchar;                                     \
		(to).syscr = (from).syscr;                                     \
		(to).syscw = (from).syscw;                                     \
		(to).read_bytes = (from).read_bytes;                           \
		(to).write_bytes = (from).write_bytes;                         \
		(to).cancelled_write_bytes = (from).cancelled_write_bytes;     \
	} while (0)

#include "pidns.h"

/* Whether the reader is in a user namespace, where the kernel's numbers of users mean nothing. */
static __u32 reader_confined;

static __always_inline void find_reader(void)
{
	struct task_struct *reader = (struct task_struct *)bpf_get_current_task();

	find_namespace();
	reader_confined = BPF_CORE_READ(reader, real_cred, user_ns, level) != 0;
}

static __always_inline __u32 task_state(struct task_struct *t)
{
	if (bpf_core_field_exists(t->__state))
		return t->__state;
	return ((struct task_struct___before514 *)t)->state;
}

static __always_inline __s32 task_cpu(struct task_struct *t)
{
	struct task_struct___cpu *old = (void *)t;

	if (bpf_core_field_exists(t->thread_info.cpu))
		return t->thread_info.cpu;
	if (bpf_core_field_exists(old->cpu))
		return old->cpu;
	return -1;
}

static __always_inline void fill(struct task_row *r, struct task_struct *t, __u32 level)
{
	r->state = task_state(t);
	r->exit_state = t->exit_state;
	r->flags = t->flags;
	r->static_prio = t->static_prio;
	r->cpu = task_cpu(t);
	r->start_boottime = t->start_boottime;
	r->run_time = t->se.sum_exec_runtime;
	r->run_delay = t->sched_info.run_delay;
	r->slices = t->sched_info.pcount;
	r->nvcsw = t->nvcsw;
	r->nivcsw = t->nivcsw;
	r->min_flt = t->min_flt;
	r->maj_flt = t->maj_flt;
	r->nr_threads = t->signal->nr_threads;
	COPY_IO(r->io, t->ioac);
	bpf_probe_read_kernel(r->comm, sizeof(r->comm), t->comm);
	if (!level) {
		r->tid = t->pid;
		r->tgid = t->tgid;
		r->ppid = t->real_parent->tgid;
		return;
	}
	r->tid = number(t, level);
	r->tgid = number(BPF_CORE_READ(t, group_leader), level);
	r->ppid = number(BPF_CORE_READ(t, real_parent, group_leader), level);
}

SEC("iter/task")
int tasks(struct bpf_iter__task *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *t = ctx->task;
	struct signal_struct *s;
	struct group_row r = {};

	if (!t)
		return 0;
	if (!ctx->meta->seq_num)
		find_reader();
	fill(&r.task, t, reader_level);
	if (r.task.tid != r.task.tgid) {
		r.task.size = sizeof(r.task);
		bpf_seq_write(seq, &r.task, sizeof(r.task));
		return 0;
	}
	s = t->signal;
	r.run_time = s->sum_sched_runtime;
	r.cutime = s->cutime;
	r.cstime = s->cstime;
	r.nvcsw = s->nvcsw;
	r.nivcsw = s->nivcsw;
	r.min_flt = s->min_flt;
	r.maj_flt = s->maj_flt;
	COPY_IO(r.io, s->ioac);
	r.netns = t->nsproxy->net_ns->ns.inum;
	r.uid = reader_confined ? -1 : t->real_cred->uid.val;
	bpf_probe_read_kernel(&r.cgroups, sizeof(r.cgroups), &t->cgroups);
	r.task.size = sizeof(r);
	bpf_seq_write(seq, &r, sizeof(r));
	return 0;
}
