// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which code holds memory: of the blocks that one process allocates, about one for
 * each so many bytes is followed until it is freed, and stands for all of them.
 * internal/probe/event/allocs attaches it to malloc and its relatives.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_F_USER_STACK (1ULL << 8)

#define DEPTH 64
#define STACKS 4096
#define BLOCKS (1 << 18)
#define THREADS (1 << 12)

struct pt_regs___x86 {
	unsigned long ax, di, si, sp;
} CORE;

struct pt_regs___arm64 {
	__u64 regs[31];
} CORE;

struct key {
	__u64 stack; /* a hash of the frames */
};

struct sum {
	__u64 blocks, bytes; /* allocated; bytes as many as the followed blocks stand for */
	__u64 freed_blocks, freed_bytes;
	__u64 frames[DEPTH]; /* innermost first, up to one that is 0 */
};

struct block {
	__u64 stack, bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACKS);
	__type(key, struct key);
	__type(value, struct sum);
} stacks SEC(".maps");

/* Followed blocks by address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BLOCKS);
	__type(key, __u64);
	__type(value, struct block);
} blocks SEC(".maps");

/* What a thread is about to get, by its number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS);
	__type(key, __u64);
	__type(value, struct block);
} pending SEC(".maps");

/* Threads in a function that may call malloc: that is no call of the program. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS);
	__type(key, __u64);
	__type(value, __u8);
} inside SEC(".maps");

/* Bytes on a CPU since a block was followed, and from how many on the next one is. */
struct meter {
	__u64 bytes, next;
	struct sum room;
};


struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct meter);
} meters SEC(".maps");

volatile __u64 every; /* bytes that a followed block stands for in the mean */
__u64 crowded;        /* blocks that found no room */

static __always_inline int on_x86(void)
{
	return bpf_core_field_exists(struct pt_regs___x86, ax);
}

/* regs are read as memory: programs here may not compute with their address. */
#define REGISTER(regs, x86, arm64)                                                                              \
	({                                                                                                      \
		__u64 value = 0;                                                                                \
		if (on_x86())                                                                                   \
			bpf_core_read(&value, sizeof(value), &((struct pt_regs___x86 *)(regs))->x86);            \
		else                                                                                            \
			bpf_core_read(&value, sizeof(value), &((struct pt_regs___arm64 *)(regs))->regs[arm64]); \
		value;                                                                                          \
	})

static __always_inline __u64 argument(void *regs, int n)
{
	return n ? REGISTER(regs, si, 1) : REGISTER(regs, di, 0);
}

static __always_inline __u64 result(void *regs)
{
	return REGISTER(regs, ax, 0);
}

/* caller is where the function that begins returns to. */
static __always_inline __u64 caller(void *regs)
{
	__u64 at = REGISTER(regs, sp, 30);

	if (on_x86())
		bpf_probe_read_user(&at, sizeof(at), (void *)at);
	return at;
}

static __always_inline int begin(void *regs, __u64 size, int calls_others)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct block b = {};
	struct key k = {};
	struct meter *m;
	struct sum *s;
	__u32 first = 0;
	__u8 yes = 1;

	if (bpf_map_lookup_elem(&inside, &thread))
		return 0;
	if (calls_others)
		bpf_map_update_elem(&inside, &thread, &yes, 0);
	m = bpf_map_lookup_elem(&meters, &first);
	if (!m || !size)
		return 0;
	m->bytes += size;
	if (m->bytes < m->next)
		return 0;
	/* At random, so that no pattern of the program is met again and again. */
	m->next = every / 2 + ((bpf_get_prandom_u32() * every) >> 32);
	b.bytes = m->bytes;
	m->bytes = 0;
	s = &m->room;
	__builtin_memset(s, 0, sizeof(*s));
	bpf_get_stack(regs, s->frames, sizeof(s->frames), BPF_F_USER_STACK);
	/* The first frame is malloc itself, which has pushed none of its own yet. */
	s->frames[0] = caller(regs);
	k.stack = 14695981039346656037ULL;
	for (int i = 0; i < DEPTH; i++)
		k.stack = (k.stack ^ s->frames[i]) * 1099511628211ULL;
	b.stack = k.stack;
	if (!bpf_map_lookup_elem(&stacks, &k) && bpf_map_update_elem(&stacks, &k, s, BPF_NOEXIST) && !bpf_map_lookup_elem(&stacks, &k)) {
		__sync_fetch_and_add(&crowded, 1);
		return 0;
	}
	if (bpf_map_update_elem(&pending, &thread, &b, 0))
		__sync_fetch_and_add(&crowded, 1);
	return 0;
}

static __always_inline void forget(__u64 address)
{
	struct block *b = bpf_map_lookup_elem(&blocks, &address);
	struct key k;
	struct sum *s;

	if (!b)
		return;
	k.stack = b->stack;
	s = bpf_map_lookup_elem(&stacks, &k);
	if (s) {
		__sync_fetch_and_add(&s->freed_blocks, 1);
		__sync_fetch_and_add(&s->freed_bytes, b->bytes);
	}
	bpf_map_delete_elem(&blocks, &address);
}

SEC("uprobe")
int malloc_begins(void *ctx)
{
	return begin(ctx, argument(ctx, 0), 0);
}

SEC("uprobe")
int calloc_begins(void *ctx)
{
	return begin(ctx, argument(ctx, 0) * argument(ctx, 1), 1);
}

/* aligned_alloc and memalign. */
SEC("uprobe")
int aligned_begins(void *ctx)
{
	return begin(ctx, argument(ctx, 1), 1);
}

SEC("uprobe")
int realloc_begins(void *ctx)
{
	forget(argument(ctx, 0));
	return begin(ctx, argument(ctx, 1), 1);
}

SEC("uretprobe")
int ended(void *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid(), address = result(ctx);
	struct block *b = bpf_map_lookup_elem(&pending, &thread), copy;
	struct key k;
	struct sum *s;

	bpf_map_delete_elem(&inside, &thread);
	if (!b)
		return 0;
	copy = *b;
	bpf_map_delete_elem(&pending, &thread);
	k.stack = copy.stack;
	s = bpf_map_lookup_elem(&stacks, &k);
	if (!address || !s)
		return 0;
	if (bpf_map_update_elem(&blocks, &address, &copy, 0)) {
		__sync_fetch_and_add(&crowded, 1);
		return 0;
	}
	__sync_fetch_and_add(&s->blocks, 1);
	__sync_fetch_and_add(&s->bytes, copy.bytes);
	return 0;
}

SEC("uprobe")
int freed(void *ctx)
{
	forget(argument(ctx, 0));
	return 0;
}
