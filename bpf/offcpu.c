// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long threads do not run, and why: blocked until somebody wakes them, then
 * runnable until they get a CPU. Every switch of threads only notes a time in the
 * storage of the thread. Stacks are taken once for every step of blocked time of a
 * thread, so that a stack gets the share of the time that it really has, and short
 * waits cost next to nothing. internal/probe/event/offcpu reads the sums, and chooses
 * the step by how many stacks that takes.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

struct task_struct {
	unsigned int __state;
	int on_cpu, pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_time, start_boottime;
	char comm[16];
} CORE;

/* Before Linux 5.14, where __state was called state. */
struct task_struct___before514 {
	long state;
} CORE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} CORE;

#include "pidns.h"

#define DEPTH 32          /* frames of a stack */
#define SUMS 16384
#define STACKS 8192

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_F_NO_PREALLOC 1

/* TASK_UNINTERRUPTIBLE | TASK_NOLOAD: threads of the kernel that have nothing to do */
#define TASK_IDLE 0x402

/* What is known of a thread. */
struct wait {
	__u64 out;     /* since when it does not run; 0: it runs */
	__u64 waking;  /* when it was woken; 0: it was not */
	__u64 counted; /* up to here its wait was counted by the reader */
	__u64 debt;    /* blocked time that was not summed up yet */
	__u64 ready;   /* runnable time that was not summed up yet */
	__u32 state;   /* in which it blocks; 0: it is runnable */
	__u32 known;
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
	__u32 waker; /* PID; 0: none, or not in the reader's namespace */
	__u32 state; /* 0: runnable */
};

struct sum {
	__u64 ns;
	__u64 waits; /* in 1024ths */
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
enum { OF_WAKING, OF_READER, ROOMS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ROOMS);
	__type(key, __u32);
	__type(value, struct stack);
} rooms SEC(".maps");

volatile __u32 too;           /* sums_too is filled */
volatile __u64 attached;      /* when programs were, ns */
volatile __u64 step = 1 << 24; /* ns, a power of two */
__u64 taken;                  /* stacks of waits that ended */

/* What found no room. */
__u64 crowded, crowded_ns, stackless;

static __always_inline __u32 task_state(struct task_struct *t)
{
	if (bpf_core_field_exists(t->__state))
		return BPF_CORE_READ(t, __state);
	return BPF_CORE_READ((struct task_struct___before514 *)t, state);
}

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

static __always_inline void add(struct key *k, struct task_struct *t, struct task_struct *waker, __u64 ns, __u64 longest)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct sum *s = bpf_map_lookup_elem(map, k);

	if (!s) {
		struct sum fresh = {};
		struct task_struct *leader = BPF_CORE_READ(t, group_leader);

		fresh.started = BPF_CORE_READ(leader, start_boottime);
		bpf_core_read(fresh.process, sizeof(fresh.process), &leader->comm);
		bpf_core_read(fresh.thread, sizeof(fresh.thread), &t->comm);
		if (waker)
			bpf_core_read(fresh.waker, sizeof(fresh.waker), &waker->comm);
		bpf_map_update_elem(map, k, &fresh, BPF_NOEXIST);
		s = bpf_map_lookup_elem(map, k);
		if (!s) {
			__sync_fetch_and_add(&crowded, 1);
			__sync_fetch_and_add(&crowded_ns, ns);
			return;
		}
	}
	__sync_fetch_and_add(&s->ns, ns);
	if (longest)
		__sync_fetch_and_add(&s->waits, (ns << 10) / longest);
	if (longest > s->longest) {
		s->longest = longest;
		if (waker)
			s->waker_tid = task_number(waker);
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
		add(&k, t, 0, w->ready, 0);
	w->ready = 0;
}

static __always_inline int switched(struct task_struct *prev, struct task_struct *next, __u32 state)
{
	__u64 now = bpf_ktime_get_ns();
	struct wait *w;

	if (prev->pid && (w = known_wait(prev))) {
		w->out = now;
		w->waking = 0;
		w->state = state;
	}
	if (next->pid && (w = bpf_task_storage_get(&waits, next, 0, 0)) && w->out) {
		/* Without a waking it was preempted, or had a signal before it could block. */
		w->ready += now - later(w->waking ? w->waking : w->out, w->counted);
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

SEC("tp_btf/sched_waking")
int waking(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0], *waker;
	__u64 now = bpf_ktime_get_ns(), since, blocked, ns;
	struct key k = {};
	struct stack *room;
	struct wait *w = bpf_task_storage_get(&waits, t, 0, 0);
	__u32 at = OF_WAKING;

	if (w) {
		/* It runs, was preempted, or somebody else woke it before. */
		if (!w->out || w->waking || !w->state)
			return 0;
		since = later(w->out, w->counted);
		k.state = w->state;
	} else {
		/* It has not run since programs were attached. */
		if (t->on_cpu || !(w = known_wait(t)))
			return 0;
		since = later(attached, t->start_time);
		w->out = since;
		w->state = k.state = task_state(t);
	}
	w->waking = now;
	if (k.state == TASK_IDLE || now <= since)
		return 0;
	blocked = now - since;
	ns = whole(w, blocked);
	if (!ns || !(k.pid = process_number(t)))
		return 0;
	__sync_fetch_and_add(&taken, 1);
	k.tid = task_number(t);
	waker = (struct task_struct *)bpf_get_current_task();
	k.waker = process_number(waker);
	room = bpf_map_lookup_elem(&rooms, &at);
	if (room) {
		k.stack = keep(room, bpf_get_task_stack(t, room, sizeof(*room), 0));
		k.waker_stack = keep(room, bpf_get_stack(ctx, room, sizeof(*room), 0));
	}
	add(&k, t, waker, ns, blocked);
	return 0;
}

/* The reader counts waits that go on, up to now. */
SEC("iter/task")
int waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	__u64 now = bpf_ktime_get_ns(), since, ns;
	struct key k = {};
	struct stack *room;
	struct wait *w;
	__u32 at = OF_READER;

	if (!t || !t->pid)
		return 0;
	w = bpf_task_storage_get(&waits, t, 0, 0);
	if (!w) {
		k.state = task_state(t);
		if (t->on_cpu || !k.state || !(w = known_wait(t)))
			return 0;
		w->out = later(attached, t->start_time);
		w->state = k.state;
	}
	if (w->out && (w->waking || !w->state)) {
		since = later(w->waking ? w->waking : w->out, w->counted);
		if (now > since)
			w->ready += now - since;
	} else if (w->out && w->state != TASK_IDLE) {
		since = later(w->out, w->counted);
		ns = now > since ? whole(w, now - since) : 0;
		if (ns && (k.pid = process_number(t))) {
			k.tid = task_number(t);
			k.state = w->state;
			room = bpf_map_lookup_elem(&rooms, &at);
			if (room)
				k.stack = keep(room, bpf_get_task_stack(t, room, sizeof(*room), 0));
			add(&k, t, 0, ns, now - since);
		}
	}
	w->counted = now;
	if (w->ready)
		add_ready(w, t);
	return 0;
}

/* Names of functions for addresses of the kernel. */
#define NAMES 64
#define NAME 64

__u64 addresses[NAMES];
char names[NAMES][NAME];

SEC("syscall")
int name(void *ctx)
{
	static const char form[] = "%pB";

	for (int i = 0; i < NAMES; i++) {
		__u64 address = addresses[i];

		if (!address)
			break;
		bpf_snprintf(names[i], NAME, form, &address, sizeof(address));
	}
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	attached = bpf_ktime_get_ns();
	return 0;
}
