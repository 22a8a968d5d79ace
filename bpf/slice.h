/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs need to count of a system call the part in a slice. Include it after
 * syscall.h and struct task_struct, which needs the members __state, flags and start_time.
 */
#pragma once

#include "counting.h"

/* up_to is the time up to which the reader counts what goes on. */
static __always_inline __u64 up_to(void) { return ended ? ended : bpf_ktime_get_ns(); }

#define PF_KTHREAD 0x00200000
#define PF_IO_WORKER 0x10
#define PF_USER_WORKER 0x4000

#define TASK_DEAD 0x80

/* Before Linux 5.14, where __state was called state. */
struct task_struct___before514 {
	long state;
} CORE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} CORE;

static __always_inline __u32 task_state(struct task_struct *t)
{
	if (bpf_core_field_exists(t->__state))
		return BPF_CORE_READ(t, __state);
	return BPF_CORE_READ((struct task_struct___before514 *)t, state);
}

/* The system call that a thread is in, or was in last. */
struct call {
	__u64 at;     /* when it began or ended */
	__u32 inside; /* it goes on */
	__u32 number;
};

/* entered notes that a call begins. */
static __always_inline void enter(struct call *c, __u32 number)
{
	c->number = number;
	c->inside = 1;
	c->at = bpf_ktime_get_ns();
}

/*
 * spent is how long a call that ends took, of one that began before the slice the part
 * inside; -1 for what was not seen to begin: a new thread returns from a call that it did
 * not make.
 */
static __always_inline __s64 spent(struct call *c, struct task_struct *t)
{
	__u64 now = bpf_ktime_get_ns(), since = c->at;
	__u32 inside = c->inside;

	c->at = now;
	c->inside = 0;
	if (since < began)
		return t->start_time < began ? (__s64)(now - began) : -1;
	return inside ? (__s64)(now - since) : -1;
}

/*
 * pending is how long a thread has been in a call that goes on when a slice ends, and
 * number which one; -1: it is in none.
 */
static __always_inline __s64 pending(struct call *c, struct task_struct *t, __u32 *number)
{
	__u32 state = task_state(t);
	__u64 now = up_to();
	void *regs;
	int n;

	if (state & TASK_DEAD) /* a zombie keeps what it had of its last call */
		return -1;
	if (c && c->at >= began) {
		*number = c->number;
		return c->inside ? (__s64)(now - c->at) : -1; /* as well for one that began too late */
	}
	/* It did nothing in the slice. Only what sleeps is surely in a call. */
	if (!state || t->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) || t->start_time >= began)
		return -1;
	regs = (void *)bpf_task_pt_regs(t);
	if (!regs || (n = call_number(regs)) < 0)
		return -1;
	*number = other_table(t) ? OTHER_TABLE : n;
	return now - began;
}
