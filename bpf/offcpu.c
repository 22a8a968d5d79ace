// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long threads do not run, and why: blocked until somebody wakes them, then
 * runnable until they get a CPU. Every switch of threads only notes a time in the
 * storage of the thread: the scheduler's own, as asking for the time costs more than
 * all the rest. Stacks are taken once for every step of blocked time of a
 * thread, so that a stack gets the share of the time that it really has, and short
 * waits cost next to nothing. internal/probe/event/offcpu reads the sums, and chooses
 * the step by how many stacks that takes.
 *
 * The stack in the program can only be read while the thread still runs: of waits that
 * look as if they will fill a step, some are copied as they begin.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

struct rq {
	__u64 clock;
} CORE;

struct cfs_rq {
	struct rq *rq;
} CORE;

struct sched_entity {
	struct cfs_rq *cfs_rq;
} CORE;

struct sched_info {
	unsigned long long run_delay, last_queued;
} CORE;

struct thread_info {
	unsigned long flags;
	unsigned int status;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state, flags;
	int on_cpu, pid, tgid;
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_time, start_boottime;
	char comm[16];
} CORE;

#include "pidns.h"
#include "syscall.h"

#define OTHER_TABLE 0xffff

#include "slice.h"
#include "ring.h"

#define TICK (1ULL << 22) /* ns: of 250 Hz, and a little more */
#define DEPTH 32          /* frames of a stack */
#define SUMS 16384
#define STACKS 8192

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_F_NO_PREALLOC 1

/* TASK_UNINTERRUPTIBLE | TASK_NOLOAD: threads of the kernel that have nothing to do */
#define TASK_IDLE 0x402
#define TASK_INTERRUPTIBLE 1

/* Of include/uapi/linux/futex.h. */
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_LOCK_PI2 13
#define FUTEX_CMD 0x7f /* without its flags */

/* The word of a lock that others wait for, of the C library and of Go's runtime. */
#define CONTENDED 2

/* The last wait of a thread that was sampled. */
struct last {
	__u64 until, stack, lock;
	/* Of a wait for a futex: who held it, and where that one slept meanwhile. */
	__u64 holder_stack;
	__u32 holder, holder_process;
	char holder_comm[16];
};

/* What is known of a thread. */
struct wait {
	__u64 out;     /* since when it does not run; 0: it runs */
	__u64 counted; /* up to here its wait was counted by the reader */
	__u64 delayed; /* how long it ever was runnable without a CPU, at out or counted */
	__u64 debt;    /* blocked time that was not summed up yet */
	__u64 ready;   /* runnable time that was not summed up yet */
	__u32 waker, waker_tid; /* PIDs */
	__u32 state;            /* in which it blocks; 0: it is runnable */
	__u8 known, woken;
	__u16 slice; /* in which this was noted */
	__u32 typical; /* of its waits, a long one, in 1024 ns */
	__u32 copied;  /* number of the copy of its stack in the program; 0: there is none */
	/* Up to here it is one line of the cache. Of those that are likely sampled: */
	__u64 waker_stack;
	char waker_comm[16];
	struct last last, of_waker; /* the waker's, if it ended during this wait */
	__u64 woken_at;
	__u32 places; /* in the program: a bit of those where waits of it filled a step */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} waits SEC(".maps");

struct key {
	__u32 pid, tid;
	__u64 stack, waker_stack;
	__u64 lock;  /* address of the futex that it waits for; 1 more: it is one of a lock */
	__u32 waker; /* PID; 0: none, or not in the reader's namespace */
	__u32 state; /* 0: runnable */
	/* Of waits for a futex: TID of the waker, and where it last slept meanwhile. */
	__u64 holder_stack;
	__u32 holder;
	__u32 copied; /* number of a copy of the stack in the program */
};

struct sum {
	__u64 ns;
	__u64 waits; /* that ended, in 1024ths */
	__u64 longest;
	__u64 started; /* of the process, ns since boot */
	__u32 waker_tid; /* of the longest */
	__u32 unused;
	char process[16], thread[16], waker[16];
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SUMS);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

struct stack {
	__u64 frame[DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACKS);
	__type(key, __u64);
	__type(value, struct stack);
} stacks SEC(".maps");

/* Room for a stack, of each program that may interrupt another one. */
enum { OF_WAKING, OF_SWITCH, OF_READER, ROOMS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ROOMS);
	__type(key, __u32);
	__type(value, struct stack);
} rooms SEC(".maps");

volatile __u32 too;           /* sums_too is filled */
volatile __u64 attached;      /* when the slice began, by the scheduler's clock, */
volatile __u64 attached_at;   /* and by the monotonic one */
volatile __u64 ahead;         /* by how much the monotonic clock is ahead of it */
volatile __u64 step = 1 << 24; /* ns, a power of two */
__u64 taken;                  /* stacks of waits that ended */

/* What found no room. */
__u64 crowded, crowded_ns, stackless;

static __always_inline __u64 later(__u64 a, __u64 b) { return a > b ? a : b; }

/* known_wait is what is known of a thread; it is made if need be. */
static __always_inline struct wait *known_wait(struct task_struct *t)
{
	struct wait *w = bpf_task_storage_get(&waits, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	/* From anywhere in a step: threads that never fill one would have no stacks. */
	if (w && !w->known) {
		w->known = 1;
		w->debt = bpf_get_prandom_u32() & (step - 1);
	}
	return w;
}

/* keep gives a stack its number; 0: there is none, or no room for it. */
static __always_inline __u64 keep(struct stack *s, long bytes)
{
	__u64 id = 14695981039346656037ULL;

	if (bytes <= 0)
		return 0;
	for (int i = 0; i < DEPTH; i++)
		id = (id ^ s->frame[i]) * 1099511628211ULL;
	if (!id)
		id = 1;
	if (!bpf_map_lookup_elem(&stacks, &id) && bpf_map_update_elem(&stacks, &id, s, BPF_NOEXIST) &&
	    !bpf_map_lookup_elem(&stacks, &id)) {
		__sync_fetch_and_add(&stackless, 1);
		return 0;
	}
	return id;
}

/* add counts time, and how many waits that ended it stands for, in 1024ths. */
static __always_inline void add(struct key *k, struct task_struct *t, struct wait *w, __u64 ns, __u64 longest, __u64 number)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct sum *s = bpf_map_lookup_elem(map, k);

	if (!s) {
		struct sum fresh = {};
		struct task_struct *leader = BPF_CORE_READ(t, group_leader);

		fresh.started = BPF_CORE_READ(leader, start_boottime);
		bpf_core_read(fresh.process, sizeof(fresh.process), &leader->comm);
		bpf_core_read(fresh.thread, sizeof(fresh.thread), &t->comm);
		__builtin_memcpy(fresh.waker, w->waker_comm, sizeof(fresh.waker));
		bpf_map_update_elem(map, k, &fresh, BPF_NOEXIST);
		s = bpf_map_lookup_elem(map, k);
		if (!s) {
			__sync_fetch_and_add(&crowded, 1);
			__sync_fetch_and_add(&crowded_ns, ns);
			return;
		}
	}
	__sync_fetch_and_add(&s->ns, ns);
	if (number)
		__sync_fetch_and_add(&s->waits, number);
	if (longest > s->longest) {
		s->longest = longest;
		s->waker_tid = w->waker_tid;
	}
}

/* whole takes from a debt what fills steps. */
static __always_inline __u64 whole(struct wait *w, __u64 blocked)
{
	__u64 debt = w->debt + blocked, rest = debt & (step - 1);

	w->debt = rest;
	return debt - rest;
}

static __always_inline void add_ready(struct wait *w, struct task_struct *t)
{
	struct key k = {.tid = task_number(t), .pid = process_number(t)};

	if (k.pid)
		add(&k, t, w, w->ready, 0, 0);
	w->ready = 0;
}

/* futex is the address of the one that a thread waits for, plus 1 if it is that of a lock; 0: none. */
static __always_inline __u64 futex(struct task_struct *t, __u32 state)
{
	int call = on_x86() ? 202 : 98;
	__u32 expected, command;
	__u64 address;
	void *regs;

	if (!(state & TASK_INTERRUPTIBLE) || t->flags & PF_KTHREAD || other_table(t))
		return 0;
	regs = (void *)bpf_task_pt_regs(t);
	if (!regs || call_number(regs) != call)
		return 0;
	address = first_argument(regs) & ~1ULL;
	command = argument(regs, 1) & FUTEX_CMD;
	expected = argument(regs, 2);
	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return address | 1;
	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
		return 0;
	return address | (expected == CONTENDED);
}

/*
 * name_holder says who held a lock: the thread that woke, or who held it before if that
 * thread waited for it, too, and got it late. Of many that wait each wakes the next one,
 * but all of them wait for the one that was slow.
 */
static __always_inline void name_holder(struct wait *w, struct key *k)
{
	struct last *of = &w->of_waker;

	if (of->lock != k->lock) {
		k->holder = w->waker_tid;
		k->holder_stack = of->stack;
		return;
	}
	if (!of->holder || w->woken_at - of->until > of->until - w->out) {
		k->holder = w->waker_tid;
		return;
	}
	k->holder = of->holder;
	k->waker = of->holder_process;
	k->holder_stack = of->holder_stack;
	__builtin_memcpy(w->waker_comm, of->holder_comm, sizeof(w->waker_comm));
}

#include "copied.h"

/* add_blocked sums up blocked time that fills steps, with the stack of a thread that does not run. */
static __always_inline void add_blocked(struct wait *w, struct task_struct *t, __u64 blocked, __u64 now, __u32 room_of)
{
	struct key k = {.state = w->state, .waker = w->waker, .waker_stack = w->waker_stack};
	/* What a longer step has left over is no work of this wait. */
	__u64 left = w->debt & ~(step - 1), ns = whole(w, blocked), number = 0;
	struct stack *room;

	if (!ns || !(k.pid = process_number(t)))
		return;
	k.tid = task_number(t);
	k.lock = futex(t, w->state);
	if (k.lock)
		name_holder(w, &k);
	if (room_of == OF_READER && !w->copied)
		w->copied = copy_stack(t, now, 0, k.lock & 1 || !(w->state & TASK_INTERRUPTIBLE));
	k.copied = w->copied;
	__sync_fetch_and_add(&taken, 1);
	room = bpf_map_lookup_elem(&rooms, &room_of);
	if (room)
		k.stack = keep(room, bpf_get_task_stack(t, room, sizeof(*room), 0));
	w->last.until = now;
	w->last.stack = k.stack;
	w->last.lock = k.lock;
	w->last.holder = k.holder;
	w->last.holder_process = k.waker;
	w->last.holder_stack = k.holder_stack;
	__builtin_memcpy(w->last.holder_comm, w->waker_comm, sizeof(w->waker_comm));
	if (room_of != OF_READER && blocked)
		number = ((ns - left) << 10) / blocked;
	add(&k, t, w, ns, blocked, number);
}

/* forget makes a thread ready for its next wait. */
static __always_inline void forget(struct wait *w)
{
	w->woken = 0;
	w->waker = w->waker_tid = w->copied = 0;
	if (w->waker_stack || w->of_waker.lock) {
		w->waker_stack = 0;
		w->waker_comm[0] = 0;
		__builtin_memset(&w->of_waker, 0, sizeof(w->of_waker));
	}
}

/* scheduler_clock is the time of the run queue of a thread, which was just brought up to date. */
static __always_inline __u64 scheduler_clock(struct task_struct *t)
{
	if (bpf_core_field_exists(struct cfs_rq, rq) && bpf_core_field_exists(struct sched_entity, cfs_rq))
		return t->se.cfs_rq->rq->clock;
	return bpf_ktime_get_ns();
}

/* delay is how long a thread ever was runnable without a CPU. */
static __always_inline __u64 delay(struct task_struct *t, __u64 now)
{
	__u64 queued = t->sched_info.last_queued, all = t->sched_info.run_delay;

	return queued && now > queued ? all + now - queued : all;
}

static __always_inline __u16 slice(void) { return began >> 20; }

/* seen says that a thread was noted in this slice. */
static __always_inline int seen(struct wait *w) { return w && w->slice == slice(); }

/*
 * first makes known a thread that was not seen in the slice, and does not run: since the
 * slice began, if it was there, it has been blocked, or runnable as long as it is queued.
 */
static __always_inline struct wait *first(struct task_struct *t, __u32 state)
{
	struct wait *w;
	__u64 queued;

	if (attached_at != began || !(w = known_wait(t)))
		return 0;
	forget(w);
	w->slice = slice();
	w->out = later(attached, t->start_time - ahead);
	w->delayed = t->sched_info.run_delay;
	w->state = state;
	queued = t->sched_info.last_queued;
	if (!state)
		w->out = queued ? later(w->out, queued) : 0;
	return w;
}

static __always_inline int switched(struct task_struct *prev, struct task_struct *next, __u32 state)
{
	__u64 now, since, off, ready;
	struct wait *w;

	if (!counting)
		return 0;
	now = scheduler_clock(prev);
	if (attached_at != began) {
		ahead = bpf_ktime_get_ns() - now;
		attached = now;
		attached_at = began;
	}
	if (prev->pid && (w = known_wait(prev))) {
		w->slice = slice();
		w->out = now;
		w->delayed = prev->sched_info.run_delay;
		w->state = state;
		w->copied = 0;
		if (w->woken)
			forget(w);
		if (state && state != TASK_IDLE && w->debt + ((__u64)w->typical << 10) >= step && w->places & place(prev))
			w->copied = copy_stack(prev, now, 1, 0);
	}
	if (!next->pid)
		return 0;
	w = bpf_task_storage_get(&waits, next, 0, 0);
	/* Whoever is blocked was seen when it was woken. */
	if (!seen(w))
		w = first(next, 0);
	if (w && w->out) {
		since = later(w->out, w->counted);
		off = now > since ? now - since : 0;
		/* Runnable all the time: it was preempted, or had a signal before it could block. */
		ready = w->state ? delay(next, now) - w->delayed : off;
		if (ready > off)
			ready = off;
		if (w->state && w->state != TASK_IDLE) {
			__u64 debt = w->debt;

			expect(w, next, off - ready);
			add_blocked(w, next, off - ready, now, OF_SWITCH);
			if (w->debt < debt)
				ahead = bpf_ktime_get_ns() - now; /* they drift apart */
		}
		w->ready += ready;
		w->out = 0;
		if (w->ready >= step)
			add_ready(w, next);
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int switch_state(__u64 *ctx)
{
	return switched((void *)ctx[1], (void *)ctx[2], ctx[0] ? 0 : ctx[3]);
}

/* Before Linux 5.18. */
SEC("tp_btf/sched_switch")
int switch_plain(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];

	return switched(prev, (void *)ctx[2], ctx[0] ? 0 : task_state(prev));
}

/* Of Linux 5.18, and of those that took it over. */
SEC("tp_btf/sched_switch")
int switch_early(__u64 *ctx)
{
	return switched((void *)ctx[2], (void *)ctx[3], ctx[0] ? 0 : ctx[1]);
}

/*
 * Only waits that look as if they will be sampled get the stack of who ends them; how
 * long they really were shows when the thread runs again.
 */
SEC("tp_btf/sched_waking")
int waking(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0], *waker;
	struct wait *w, *of_waker;
	struct stack *room;
	__u64 now, since;
	__u32 at = OF_WAKING;

	if (!counting)
		return 0;
	w = bpf_task_storage_get(&waits, t, 0, 0);
	if (seen(w)) {
		/* It runs, was preempted, or somebody else woke it before. */
		if (!w->out || w->woken || !w->state)
			return 0;
	} else if (t->on_cpu || !(w = first(t, task_state(t)))) {
		return 0;
	}
	w->woken = 1;
	waker = bpf_get_current_task_btf();
	if (reader_level) {
		w->waker = process_number(waker);
		w->waker_tid = task_number(waker);
	} else {
		w->waker = waker->tgid;
		w->waker_tid = waker->pid;
	}
	/* The clock of a busy CPU is up to a tick late; that of an idle one may be late by any time. */
	since = later(w->out, w->counted);
	if (waker->pid) {
		now = scheduler_clock(waker) + TICK;
		if (now <= since || w->debt + (now - since) < step)
			return 0;
	}
	now = bpf_ktime_get_ns() - ahead;
	if (now <= since || w->debt + (now - since) < step)
		return 0;
	__builtin_memcpy(w->waker_comm, waker->comm, sizeof(w->waker_comm));
	room = bpf_map_lookup_elem(&rooms, &at);
	if (room)
		w->waker_stack = keep(room, bpf_get_stack(ctx, room, sizeof(*room), 0));
	of_waker = bpf_task_storage_get(&waits, waker, 0, 0);
	if (of_waker && of_waker->last.until > w->out)
		w->of_waker = of_waker->last;
	w->woken_at = now;
	return 0;
}

/* The reader counts waits that go on, up to now. */
SEC("iter/task")
int waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	__u64 now, since, off, ready;
	struct wait *w;

	if (!t || !t->pid || attached_at != began || task_state(t) & TASK_DEAD)
		return 0;
	now = up_to() - ahead;
	w = bpf_task_storage_get(&waits, t, 0, 0);
	if (!seen(w) && (t->on_cpu || !(w = first(t, task_state(t)))))
		return 0;
	since = later(w->out, w->counted);
	if (w->out && now > since) {
		off = now - since;
		ready = w->state ? delay(t, now) - w->delayed : off;
		if (ready > off)
			ready = off;
		w->ready += ready;
		w->delayed += ready;
		w->counted = now;
		if (w->state && w->state != TASK_IDLE)
			add_blocked(w, t, off - ready, now, OF_READER);
	}
	if (w->ready)
		add_ready(w, t);
	return 0;
}

#include "names.h"

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
