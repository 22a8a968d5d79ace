// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache by process and device: pages that reads ask for, that are added and that
 * are removed, and those that are written to. internal/probe/event/cache reads the sums.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

struct thread_info {
	unsigned long flags;
	unsigned int status;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	char comm[16];
} CORE;

#include "sliced.h"
#include "pidns.h"
#include "syscall.h"

struct super_block {
	__u32 s_dev;
} CORE;

struct inode {
	unsigned short i_mode;
	__u32 i_rdev;
	__s64 i_size;
	struct super_block *i_sb;
} CORE;

struct address_space {
	struct inode *host;
} CORE;

/* Of Linux 5.16 and later; before, tracepoints have single pages. */
struct folio {
	struct address_space *mapping;
	unsigned long index;
} CORE;

/* How many pages one with PG_head has: since Linux 6.15, 5.17 and 6.6, if it is not in the ones before. */
struct folio___pages {
	unsigned int _nr_pages;
} CORE;

struct folio___folio {
	unsigned int _folio_nr_pages;
} CORE;

struct folio___flags {
	unsigned long _flags_1;
} CORE;

struct page {
	struct address_space *mapping;
	unsigned long index;
} CORE;

enum pageflags {
	PG_head = 6,
};

#define SUMS 4096
#define S_IFMT 0170000
#define S_IFBLK 0060000

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define BPF_F_NO_PREALLOC 1

volatile __u32 page_shift = 12; /* set by the reader */

/* Pages of a file, the last one included. */
struct range {
	__u64 mapping, first, last;
};

/* What a thread did last. */
struct last {
	__u64 slice; /* in which it did so: when that began */
	struct range asked; /* by a read, which is told again as it proceeds */
	struct range added; /* since then */
	__u64 fault_mapping, fault; /* page that a fault wants */
	__u64 folio; /* that was added last */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct last);
} threads SEC(".maps");

struct key {
	__u32 pid, device; /* of the filesystem, of a block device its own */
};

/* Numbers of pages. */
struct sum {
	__u64 started; /* of the process, ns since boot */
	char process[16];
	__u64 read;    /* that reads asked for */
	__u64 faulted; /* that faults asked for */
	__u64 added;
	__u64 waited;  /* of those, that the read or fault that added them had asked for */
	__u64 fresh;   /* of those, that were written to right away */
	__u64 dirtied;
	__u64 removed;
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

/* last_of_thread is what the current thread did last in this slice. */
static __always_inline struct last *last_of_thread(void)
{
	struct last *l = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (l && l->slice != began) {
		__builtin_memset(l, 0, sizeof(*l));
		l->slice = began;
	}
	return l;
}

/* sum_of is the sum of the current process and a file; 0: there is no room. */
static __always_inline struct sum *sum_of(struct address_space *mapping)
{
	struct task_struct *t = bpf_get_current_task_btf();
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct inode *inode = BPF_CORE_READ(mapping, host);
	struct key k = {.pid = process_number(t)};
	struct sum *s;

	if (!k.pid || !inode)
		return 0;
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK)
		k.device = BPF_CORE_READ(inode, i_rdev);
	else
		k.device = BPF_CORE_READ(inode, i_sb, s_dev);
	s = bpf_map_lookup_elem(map, &k);
	if (!s && !(s = make(map, &k, t)))
		__sync_fetch_and_add(&crowded, 1);
	return s;
}

static __always_inline struct range range_of(void *folio)
{
	struct range r = {};
	__u64 flags = 0, n = 1;

	if (!bpf_core_type_exists(struct folio)) {
		r.mapping = (__u64)BPF_CORE_READ((struct page *)folio, mapping);
		r.first = r.last = BPF_CORE_READ((struct page *)folio, index);
		return r;
	}
	r.mapping = (__u64)BPF_CORE_READ((struct folio *)folio, mapping);
	r.first = BPF_CORE_READ((struct folio *)folio, index);
	bpf_probe_read_kernel(&flags, sizeof(flags), folio); /* they come first */
	if (flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1) {
		if (bpf_core_field_exists(struct folio___pages, _nr_pages))
			n = BPF_CORE_READ((struct folio___pages *)folio, _nr_pages);
		else if (bpf_core_field_exists(struct folio___folio, _folio_nr_pages))
			n = BPF_CORE_READ((struct folio___folio *)folio, _folio_nr_pages);
		else if (bpf_core_field_exists(struct folio___flags, _flags_1))
			n = 1ULL << (BPF_CORE_READ((struct folio___flags *)folio, _flags_1) & 31);
	}
	r.last = r.first + (n ? n - 1 : 0);
	return r;
}

static __always_inline __u64 pages(struct range *r) { return r->last >= r->first ? r->last - r->first + 1 : 0; }

SEC("tp_btf/mm_filemap_add_to_page_cache")
int added(__u64 *ctx)
{
	struct range r;
	struct sum *s;
	struct last *l;

	if (!counting)
		return 0;
	r = range_of((void *)ctx[0]);
	s = sum_of((void *)r.mapping);
	l = last_of_thread();
	if (!s || !l)
		return 0;
	__sync_fetch_and_add(&s->added, pages(&r));
	l->folio = ctx[0];
	if (l->fault_mapping == r.mapping && l->fault >= r.first && l->fault <= r.last) {
		__sync_fetch_and_add(&s->waited, 1);
		l->fault_mapping = 0;
	}
	if (l->added.mapping == r.mapping && r.first == l->added.last + 1)
		l->added.last = r.last;
	else
		l->added = r;
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int removed(__u64 *ctx)
{
	struct range r;
	struct sum *s;

	if (!counting)
		return 0;
	r = range_of((void *)ctx[0]);
	s = sum_of((void *)r.mapping);
	if (s)
		__sync_fetch_and_add(&s->removed, pages(&r));
	return 0;
}

/* goes_on says that less is left of a read than the call asked for: it began before the slice. */
static __always_inline int goes_on(struct range *r)
{
	struct task_struct *t = bpf_get_current_task_btf();
	void *regs = (void *)bpf_task_pt_regs(t);
	int n = regs ? call_number(regs) : -1;

	if (other_table(t) || (on_x86() ? n != 0 && n != 17 : n != 63 && n != 67)) /* read, pread64 */
		return 0;
	return pages(r) < argument(regs, 2) >> page_shift;
}

/* A read has found pages, or added them. It is told again, with what is left, while it proceeds. */
SEC("tp_btf/mm_filemap_get_pages")
int asked(__u64 *ctx)
{
	struct address_space *mapping = (void *)ctx[0];
	struct range r = {ctx[0], ctx[1], ctx[2]}, both;
	struct sum *s;
	struct last *l;
	__u64 size;

	if (!counting)
		return 0;
	s = sum_of(mapping);
	l = last_of_thread();
	if (!s || !l)
		return 0;
	both = l->added;
	l->added.mapping = 0;
	l->fault_mapping = 0;
	size = (BPF_CORE_READ(mapping, host, i_size) + (1ULL << page_shift) - 1) >> page_shift;
	/* Reads may ask for more than the file has. */
	if (l->asked.mapping ? r.last != l->asked.last || r.mapping != l->asked.mapping || r.first <= l->asked.first
			     : !sliced || !goes_on(&r)) {
		struct range inside = r;

		if (inside.last >= size)
			inside.last = size - 1;
		if (size)
			__sync_fetch_and_add(&s->read, pages(&inside));
	}
	l->asked = r;
	if (both.mapping != r.mapping)
		return 0;
	if (both.first < r.first)
		both.first = r.first;
	if (both.last > r.last)
		both.last = r.last;
	__sync_fetch_and_add(&s->waited, pages(&both));
	return 0;
}

/* A fault wants a page that is not mapped. */
SEC("tp_btf/mm_filemap_fault")
int faulted(__u64 *ctx)
{
	struct sum *s;
	struct last *l;

	if (!counting)
		return 0;
	s = sum_of((void *)ctx[0]);
	l = last_of_thread();
	if (!s || !l)
		return 0;
	__sync_fetch_and_add(&s->faulted, 1);
	l->fault_mapping = ctx[0];
	l->fault = ctx[1];
	l->added.mapping = 0;
	return 0;
}

/* A fault maps pages around it that are there: one of them was asked for. */
SEC("tp_btf/mm_filemap_map_pages")
int mapped(__u64 *ctx)
{
	struct sum *s = counting ? sum_of((void *)ctx[0]) : 0;

	if (s)
		__sync_fetch_and_add(&s->faulted, 1);
	return 0;
}

SEC("tp_btf/writeback_dirty_folio")
int dirtied(__u64 *ctx)
{
	struct range r;
	struct last *l;
	struct sum *s;

	if (!counting)
		return 0;
	r = range_of((void *)ctx[0]);
	l = last_of_thread();
	r.mapping = ctx[1];
	s = r.mapping ? sum_of((void *)r.mapping) : 0;
	if (!s || !l)
		return 0;
	__sync_fetch_and_add(&s->dirtied, pages(&r));
	if (l->folio == ctx[0]) {
		__sync_fetch_and_add(&s->fresh, pages(&r));
		l->folio = 0;
	}
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
