// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of block devices: how long they wait in the queue, and how long the
 * device takes, by device, operation and the process that made them.
 * internal/probe/event/blockio reads the sums.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

struct task_struct {
	int pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	char comm[16];
} CORE;

#include "pidns.h"
#include "steps.h"
#include "sliced.h"

struct gendisk {
	int major, first_minor;
} CORE;

struct request_queue {
	struct gendisk *disk;
} CORE;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags, rq_flags;
	unsigned int __data_len;
	__u64 start_time_ns; /* 0: the queue keeps no times (iostats) */
} CORE;

/* Before Linux 5.17. */
struct request___disk {
	struct gendisk *rq_disk;
} CORE;

/* Numbers of bits since Linux 6.11, before without a type. */
enum rqf_flags {
	__RQF_FLUSH_SEQ = 1,
};
#define EARLY_FLUSH_SEQ 4

#define SUMS 4096
#define PENDING 16384

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_ANY 0
#define BPF_F_NO_PREALLOC 1

/* Operations of a request, the lowest bits of its flags. */
#define REQ_OP_MASK 0xff
#define REQ_OP_FLUSH 2        /* a request of the queue itself */
#define REQ_OP_PASSTHROUGH 32 /* from this one on */

/* A request under way. */
struct pending {
	__u64 made, issued;
	__u64 started; /* of the process, ns since boot */
	__u32 pid, bytes;
	char process[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PENDING);
	__type(key, __u64);
	__type(value, struct pending);
} pending SEC(".maps");

struct key {
	__u32 major, minor, pid, operation;
};

struct sum {
	__u64 requests, bytes;
	__u64 queue_ns, device_ns, queue_longest, device_longest;
	__u64 started;
	char process[16];
	__u32 queue[STEPS], device[STEPS]; /* requests that took less than 1 us, 2 us, 4 us and so on */
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

volatile __u32 too; /* sums_too is filled */

/* The kernel does not tell when requests are made: set by the reader. */
volatile __u32 early;

/* Requests that found no room. */
__u64 crowded, crowded_ns;

static __always_inline __u32 operation(struct request *r) { return r->cmd_flags & REQ_OP_MASK; }

/* note begins to follow a request, for the current process. */
static __always_inline int note(__u64 rq, __u64 made, __u64 issued, __u32 bytes)
{
	struct task_struct *t = (void *)bpf_get_current_task(), *leader = BPF_CORE_READ(t, group_leader);
	struct pending p = {.made = made, .issued = issued, .bytes = bytes};

	p.pid = process_number(t);
	p.started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(p.process, sizeof(p.process), &leader->comm);
	if (bpf_map_update_elem(&pending, &rq, &p, BPF_ANY))
		__sync_fetch_and_add(&crowded, 1);
	return 0;
}

/* io_start is called in the process that makes the request. */
SEC("tp_btf/block_io_start")
int started(__u64 *ctx)
{
	__u64 rq = ctx[0];

	if (counting)
		return note(rq, bpf_ktime_get_ns(), 0, 0);
	/* One that was merged into another has no end, and its place is used again. */
	bpf_map_delete_elem(&pending, &rq);
	return 0;
}

/* in_slice says whether a request was made in the slice, by the time that it has itself. */
static __always_inline int in_slice(struct request *r)
{
	__u64 made = r->start_time_ns;

	return made && made >= began && (counting || made < ended) &&
	       operation(r) != REQ_OP_FLUSH && operation(r) < REQ_OP_PASSTHROUGH;
}

/* followed is what is known of a request; what was merged into another left its place to it. */
static __always_inline struct pending *followed(struct request *r, __u64 rq)
{
	struct pending *p = bpf_map_lookup_elem(&pending, &rq);

	return p && (!early || p->made == r->start_time_ns) ? p : 0;
}

static __always_inline int issue(struct request *r, __u64 rq)
{
	struct pending *p = followed(r, rq);

	if (p) {
		if (!p->issued)
			p->bytes = r->__data_len;
		p->issued = bpf_ktime_get_ns();
	} else if (early && in_slice(r)) {
		return note(rq, r->start_time_ns, bpf_ktime_get_ns(), r->__data_len);
	}
	return 0;
}

static __always_inline int insert(struct request *r, __u64 rq)
{
	return !followed(r, rq) && in_slice(r) ? note(rq, r->start_time_ns, 0, 0) : 0;
}

SEC("tp_btf/block_rq_issue")
int issued(__u64 *ctx) { return issue((void *)ctx[0], ctx[0]); }

SEC("tp_btf/block_rq_insert")
int inserted(__u64 *ctx) { return insert((void *)ctx[0], ctx[0]); }

/* Before Linux 5.11, with the queue. */
SEC("tp_btf/block_rq_issue")
int issued_by_queue(__u64 *ctx) { return issue((void *)ctx[1], ctx[1]); }

SEC("tp_btf/block_rq_insert")
int inserted_by_queue(__u64 *ctx) { return insert((void *)ctx[1], ctx[1]); }

static __always_inline struct gendisk *disk(struct request *r)
{
	if (bpf_core_field_exists(struct request___disk, rq_disk))
		return BPF_CORE_READ((struct request___disk *)r, rq_disk);
	return BPF_CORE_READ(r, q, disk);
}

/* count adds a request that ends. */
static __always_inline void count(struct request *r, struct pending *p)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	__u64 now = bpf_ktime_get_ns(), queue, device;
	struct gendisk *of = disk(r);
	struct key k = {};
	struct sum *s;
	__u32 step;

	k.operation = operation(r);
	if (k.operation >= REQ_OP_PASSTHROUGH || p->made < sliced)
		return;
	k.major = BPF_CORE_READ(of, major);
	k.minor = BPF_CORE_READ(of, first_minor);
	k.pid = p->pid;
	if (!p->issued)
		p->issued = p->made;
	queue = p->issued - p->made;
	device = now - p->issued;
	s = bpf_map_lookup_elem(map, &k);
	if (!s) {
		struct sum fresh = {};

		fresh.started = p->started;
		__builtin_memcpy(fresh.process, p->process, sizeof(fresh.process));
		bpf_map_update_elem(map, &k, &fresh, BPF_NOEXIST);
		s = bpf_map_lookup_elem(map, &k);
	}
	if (!s) {
		__sync_fetch_and_add(&crowded, 1);
		__sync_fetch_and_add(&crowded_ns, queue + device);
		return;
	}
	__sync_fetch_and_add(&s->requests, 1);
	__sync_fetch_and_add(&s->bytes, p->bytes);
	__sync_fetch_and_add(&s->queue_ns, queue);
	__sync_fetch_and_add(&s->device_ns, device);
	if (queue > s->queue_longest)
		s->queue_longest = queue;
	if (device > s->device_longest)
		s->device_longest = device;
	if ((step = step_of(queue / 1000)) < STEPS)
		__sync_fetch_and_add(&s->queue[step], 1);
	if ((step = step_of(device / 1000)) < STEPS)
		__sync_fetch_and_add(&s->device[step], 1);
}

SEC("tp_btf/block_io_done")
int done(__u64 *ctx)
{
	__u64 rq = ctx[0];
	struct pending *p = bpf_map_lookup_elem(&pending, &rq);

	/* Else it was under way when programs were attached. */
	if (p) {
		count((void *)ctx[0], p);
		bpf_map_delete_elem(&pending, &rq);
	}
	return 0;
}

static __always_inline int in_flush(struct request *r)
{
	__u32 bit = bpf_core_enum_value_exists(enum rqf_flags, __RQF_FLUSH_SEQ) ?
			    bpf_core_enum_value(enum rqf_flags, __RQF_FLUSH_SEQ) : EARLY_FLUSH_SEQ;

	return r->rq_flags >> bit & 1;
}

/* A part of a request is done. It is told again, as a part without bytes, when a flush after it is done. */
SEC("tp_btf/block_rq_complete")
int completed(__u64 *ctx)
{
	struct request *r = (void *)ctx[0];
	__u32 bytes = ctx[2];
	__u64 rq = ctx[0];
	struct pending *p, fresh = {};

	if (bytes < r->__data_len || in_flush(r))
		return 0;
	p = followed(r, rq);
	if (!p) {
		/* One that is only to flush is not told before. */
		if (!in_slice(r))
			return 0;
		fresh.made = r->start_time_ns;
		fresh.bytes = bytes;
		p = &fresh;
	}
	count(r, p);
	bpf_map_delete_elem(&pending, &rq);
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
