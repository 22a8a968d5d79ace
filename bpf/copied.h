/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of the registers and the upper part of the stack of threads that go to sleep, in
 * the ring buffer: the reader finds the callers in them. Include it after ring.h,
 * syscall.h, slice.h, pidns.h, struct wait and later.
 */
#pragma once

#define COPY_STACK (16 << 10) /* bytes */
#define COPY_PAGE 4096
#define COPY_PARTS 5 /* of pages that it lies in */

/* At most 100 copies a second, and a few more at once if there were none before. */
#define COPY_PACE 10000000ULL /* ns */
#define COPY_BURST (50 * COPY_PACE)

/* Copies that need not wait for the pace, between two readings. */
#define COPY_URGENT 100

#define PF_EXITING 0x4


struct pt_regs___saved_x86 {
	unsigned long r15, r14, r13, r12, bp, bx, ip, sp;
} CORE;

struct pt_regs___saved_arm64 {
	__u64 regs[31], sp, pc;
} CORE;

struct copied {
	__u64 started; /* of the process, ns since boot */
	__u32 number, pid, tid;
	__u32 bytes; /* of the stack; 0: the reader copies it while the thread sleeps */
	__u64 pc, sp, frame, link; /* link: of arm64 */
	__u64 bx, r12, r13, r14, r15; /* of x86-64 */
	char stack[COPY_STACK + COPY_PAGE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct copied);
} copies SEC(".maps");

__u32 copied;          /* how many there were */
volatile __u32 urgent; /* copies that need not wait; set by the reader */
volatile __u32 reader; /* PID, whose threads are not copied */
static __u64 paid;     /* up to here copies are paid for */

/* may_copy says whether it is not too soon for one more. Of CPUs that ask at a time both may. */
static __always_inline int may_copy(__u64 now, int hurry)
{
	__u64 at = paid;

	if (hurry && urgent) {
		urgent--;
		return 1;
	}
	if (at > now)
		return 0;
	paid = later(at, now > COPY_BURST ? now - COPY_BURST : 0) + COPY_PACE;
	return 1;
}

static __always_inline __u64 program_counter(void *regs)
{
	return on_x86() ? ((struct pt_regs___saved_x86 *)regs)->ip : ((struct pt_regs___saved_arm64 *)regs)->pc;
}

static __always_inline __u64 stack_pointer(void *regs)
{
	return on_x86() ? ((struct pt_regs___saved_x86 *)regs)->sp : ((struct pt_regs___saved_arm64 *)regs)->sp;
}

static __always_inline void copy_registers(struct copied *c, void *regs)
{
	c->pc = program_counter(regs);
	c->sp = stack_pointer(regs);
	if (on_x86()) {
		struct pt_regs___saved_x86 *x = regs;

		c->frame = x->bp;
		c->link = 0;
		c->bx = x->bx;
		c->r12 = x->r12;
		c->r13 = x->r13;
		c->r14 = x->r14;
		c->r15 = x->r15;
	} else {
		struct pt_regs___saved_arm64 *a = regs;

		c->frame = a->regs[29];
		c->link = a->regs[30];
		c->bx = c->r12 = c->r13 = c->r14 = c->r15 = 0;
	}
}

/*
 * copy_stack gives the number of a copy of the stack of a thread that goes to sleep, its
 * own while its memory is there, else the registers alone; 0: there is none.
 */
static __always_inline __u32 copy_stack(struct task_struct *t, __u64 now, int own, int hurry)
{
	struct task_struct *leader;
	__u32 at = own, pid, n = 0;
	struct copied *c;
	void *regs;

	if (t->flags & (PF_KTHREAD | PF_EXITING | PF_IO_WORKER | PF_USER_WORKER) || other_table(t))
		return 0;
	pid = process_number(t);
	if (!pid || pid == reader || !may_copy(now, hurry))
		return 0;
	c = bpf_map_lookup_elem(&copies, &at);
	regs = (void *)bpf_task_pt_regs(t);
	if (!c || !regs)
		return 0;
	c->pid = pid;
	c->tid = task_number(t);
	leader = BPF_CORE_READ(t, group_leader);
	c->started = BPF_CORE_READ(leader, start_boottime);
	copy_registers(c, regs);
	for (int i = 0; own && i < COPY_PARTS; i++) {
		__u32 part = COPY_PAGE - ((c->sp + n) & (COPY_PAGE - 1));

		if (n >= COPY_STACK)
			break;
		barrier_var(part);
		if (part > COPY_PAGE || bpf_probe_read_user(c->stack + n, part, (void *)(c->sp + n)))
			break; /* it ends, or a page is not in memory */
		n += part;
	}
	if (own && !n)
		return 0;
	c->bytes = n;
	c->number = __sync_fetch_and_add(&copied, 1) + 1;
	n += __builtin_offsetof(struct copied, stack);
	barrier_var(n);
	if (n > sizeof(*c))
		return 0;
	if (bpf_ringbuf_output(&events, c, n, wake())) {
		lose();
		return 0;
	}
	return c->number;
}

/* place is the bit of where in the program a thread waits; 0: nowhere. */
static __always_inline __u32 place(struct task_struct *t)
{
	void *regs;

	if (t->flags & PF_KTHREAD || !(regs = (void *)bpf_task_pt_regs(t)))
		return 0;
	return 1U << ((program_counter(regs) ^ stack_pointer(regs)) * 0x9e3779b97f4a7c15ULL >> 59);
}

/*
 * expect notes how long a thread was blocked, and where: what its next waits are likely to
 * be at most.
 */
static __always_inline void expect(struct wait *w, struct task_struct *t, __u64 blocked)
{
	__u64 less = w->typical - (w->typical >> 5);
	int full = w->debt + blocked >= step;

	blocked >>= 10;
	if (full)
		w->places |= place(t);
	else if (w->copied && !(bpf_get_prandom_u32() & 7))
		w->places &= ~place(t);
	w->typical = blocked >= 1ULL << 32 ? 0xffffffff : later(blocked, less);
}
