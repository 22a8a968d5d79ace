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
	__u64 start_time_ns, io_start_time_ns;
} CORE;

#define SUMS 4096
#define PENDING 16384

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_ANY 0
#define BPF_F_NO_PREALLOC 1

/* Operations of a request, the lowest bits of its flags. */
#define REQ_OP_MASK 0xff
#define REQ_OP_PASSTHROUGH 34 /* from this one on */

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

/* Requests that are made are counted, up to their end; else only those that were begun. */
volatile __u32 opened;

/* Requests that found no room. */
__u64 crowded, crowded_ns;

/* io_start is called in the process that makes the request. */
SEC("tp_btf/block_io_start")
int started(__u64 *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf(), *leader = t->group_leader;
	struct pending p = {};
	__u64 rq = ctx[0];

	if (!opened) {
		/* One that was merged into another has no end, and its place is used again. */
		bpf_map_delete_elem(&pending, &rq);
		return 0;
	}
	p.made = bpf_ktime_get_ns();
	p.pid = process_number(t);
	p.started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(p.process, sizeof(p.process), &leader->comm);
	if (bpf_map_update_elem(&pending, &rq, &p, BPF_ANY))
		__sync_fetch_and_add(&crowded, 1);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int issued(__u64 *ctx)
{
	struct request *r = (void *)ctx[0];
	__u64 rq = ctx[0];
	struct pending *p = bpf_map_lookup_elem(&pending, &rq);

	if (p) {
		p->issued = bpf_ktime_get_ns();
		p->bytes = r->__data_len;
	}
	return 0;
}

SEC("tp_btf/block_io_done")
int done(__u64 *ctx)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct request *r = (void *)ctx[0];
	__u64 rq = ctx[0], now = bpf_ktime_get_ns(), queue, device;
	struct pending *p = bpf_map_lookup_elem(&pending, &rq);
	struct key k = {};
	struct sum *s;
	__u32 step;

	/* It was under way when programs were attached. */
	if (!p)
		return 0;
	k.operation = r->cmd_flags & REQ_OP_MASK;
	if (k.operation >= REQ_OP_PASSTHROUGH)
		goto out;
	k.major = BPF_CORE_READ(r, q, disk, major);
	k.minor = BPF_CORE_READ(r, q, disk, first_minor);
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
		goto out;
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
out:
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
