// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which code runs: a clock of each CPU that is not idle counts the process and the
 * stacks, in the kernel and in the program, that it interrupts.
 * internal/probe/event/oncpu reads the counts and names the functions.
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

#define KERNEL 32 /* frames of a stack in the kernel */
#define USER 64   /* and of one in the program */
#define SUMS 4096

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_F_USER_STACK (1ULL << 8)

struct key {
	__u32 pid;
	__u32 unused;
	__u64 stack; /* a hash of the frames */
};

struct sum {
	__u64 samples;
	__u64 started; /* of the process, ns since boot */
	char process[16];
	__u64 kernel[KERNEL], user[USER]; /* innermost first, up to one that is 0 */
};

/* The reader empties one while the program fills the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SUMS);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

/* Room for a sample. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sum);
} rooms SEC(".maps");

volatile __u32 too; /* sums_too is filled */
__u64 crowded;      /* samples that found no room */

static __always_inline __u64 hash(__u64 h, const __u64 *frames, int n)
{
	for (int i = 0; i < n; i++)
		h = (h ^ frames[i]) * 1099511628211ULL;
	return h;
}

/* The reader opens a clock on each CPU for it. */
SEC("perf_event")
int on_cpu(void *ctx)
{
	struct task_struct *t = (struct task_struct *)bpf_get_current_task(), *leader;
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct key k = {.pid = process_number(t)};
	struct sum *s, *room;
	__u32 first = 0;

	room = bpf_map_lookup_elem(&rooms, &first);
	if (!k.pid || !room)
		return 0;
	__builtin_memset(room->kernel, 0, sizeof(room->kernel));
	__builtin_memset(room->user, 0, sizeof(room->user));
	bpf_get_stack(ctx, room->kernel, sizeof(room->kernel), 0);
	bpf_get_stack(ctx, room->user, sizeof(room->user), BPF_F_USER_STACK);
	k.stack = hash(hash(14695981039346656037ULL, room->kernel, KERNEL), room->user, USER);
	s = bpf_map_lookup_elem(map, &k);
	if (!s) {
		leader = BPF_CORE_READ(t, group_leader);
		room->samples = 0;
		room->started = BPF_CORE_READ(leader, start_boottime);
		bpf_core_read(room->process, sizeof(room->process), &leader->comm);
		bpf_map_update_elem(map, &k, room, BPF_NOEXIST);
		s = bpf_map_lookup_elem(map, &k);
		if (!s) {
			__sync_fetch_and_add(&crowded, 1);
			return 0;
		}
	}
	__sync_fetch_and_add(&s->samples, 1);
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
