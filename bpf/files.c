// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes read and write, by file: calls and bytes, small writes and those past
 * the page cache apart, and which files they open, make and delete. It is seen where
 * system calls end: what they passed is still known there.
 * internal/probe/event/files reads the sums.
 */
#include "kernel.h"
#include "counting.h"
#include "ring.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;
struct files_struct;
struct fs_struct;

struct thread_info {
	unsigned long flags;
	unsigned int status;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	int pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct files_struct *files;
	struct fs_struct *fs;
	__u64 start_boottime;
	char comm[16];
} CORE;

#define PATHS 8192

#include "pidns.h"
#include "syscall.h"
#include "path.h"
#include "given.h"

#define SUMS 6144
#define FILES 4096 /* sums of single files; the room above is for what processes do with all others */
#define SMALL 4096 /* bytes; writes of less are small */

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_F_NO_PREALLOC 1

/* What calls do, by number; set by the reader. */
enum call { NO_CALL, READ, WRITE, SENDFILE, COPY, OPEN, UNLINK, UNLINKAT, RMDIR };
#define NUMBERS 512
volatile __u8 kinds[NUMBERS];

enum kind { NO_FILE, REGULAR, DIRECTORY, BLOCK, OTHER, REST };

struct key {
	struct file_id file;
	__u32 pid, kind;
};

struct sum {
	__u64 started; /* of the process, ns since boot */
	char process[16];
	__u64 size; /* of the file, bytes */
	__u64 reads, read_bytes, writes, written_bytes;
	__u64 small, small_bytes;           /* writes of less than SMALL bytes */
	__u64 direct_read, direct_written;  /* bytes past the page cache */
	__u64 opens, failed, made, deleted; /* calls */
	__u32 read_call, write_call;        /* numbers of those that read and wrote last, and 1 */
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

/* Deletions that pass an event with their path between two readings; all others are counted by process. */
#define DELETIONS 4096
volatile __u32 deletions; /* that did so; set to 0 by the reader */

/* Sums of single files in each; set to 0 by the reader when it is empty. */
volatile __u32 held, held_too;

#include "sums.h"

static __u32 reader; /* the process that reads, which is left out */

#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFBLK 0060000
#define S_IFREG 0100000

static __always_inline enum kind kind_of(__u32 mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return REGULAR;
	case S_IFDIR:
		return DIRECTORY;
	case S_IFBLK:
		return BLOCK;
	}
	return OTHER;
}

/* sum_of is the sum of the current process and a file, or 0 for none. */
static __always_inline struct sum *sum_of(struct file *f, enum kind kind)
{
	struct task_struct *t = bpf_get_current_task_btf();
	void *map = too ? (void *)&sums_too : (void *)&sums;
	volatile __u32 *n = too ? &held_too : &held;
	struct key k = {.pid = process_number(t), .kind = kind};
	struct sum *s;

	if (!k.pid)
		return 0;
	if (f) {
		k.file = id_of(f);
		if (kind == BLOCK) /* the disk, not the filesystem of its name */
			k.file.device = BPF_CORE_READ(f, f_inode, i_rdev);
	}
	s = bpf_map_lookup_elem(map, &k);
	if (s)
		return s;
	if (f && *n >= FILES) {
		f = 0;
		__builtin_memset(&k.file, 0, sizeof(k.file));
		k.kind = REST;
		s = bpf_map_lookup_elem(map, &k);
		if (s)
			return s;
	}
	s = make(map, &k, t);
	if (!s) {
		__sync_fetch_and_add(&crowded, 1);
		return 0;
	}
	if (f) {
		__sync_fetch_and_add(n, 1);
		s->size = BPF_CORE_READ(f, f_inode, i_size);
		learn_path(&k.file, f);
	}
	return s;
}

/* How a file is used. */
enum { READS, WRITES, OPENS };

#define FMODE_CREATED (1 << 20)

/*
 * use adds one call to the sum of a file. The verifier looks at it once, whoever calls
 * it. A number of bytes is not negative.
 */
__attribute__((noinline)) int use(__u64 file, __u64 bytes, int how, __u32 number)
{
	struct file *f = (void *)file;
	enum kind kind = kind_of(BPF_CORE_READ(f, f_inode, i_mode));
	struct sum *s;
	int direct;

	/* Of pipes and terminals only opens count. */
	if (!f || (how != OPENS && kind != REGULAR && kind != BLOCK))
		return 0;
	s = sum_of(f, kind);
	if (!s)
		return 0;
	if (how == OPENS) {
		__sync_fetch_and_add(&s->opens, 1);
		if (BPF_CORE_READ(f, f_mode) & FMODE_CREATED)
			__sync_fetch_and_add(&s->made, 1);
		return 0;
	}
	direct = BPF_CORE_READ(f, f_flags) & (on_x86() ? 0x4000 : 0x10000); /* O_DIRECT */
	if (how == READS) {
		__sync_fetch_and_add(&s->reads, 1);
		__sync_fetch_and_add(&s->read_bytes, bytes);
		s->read_call = number + 1;
		if (direct)
			__sync_fetch_and_add(&s->direct_read, bytes);
		return 0;
	}
	__sync_fetch_and_add(&s->writes, 1);
	__sync_fetch_and_add(&s->written_bytes, bytes);
	s->write_call = number + 1;
	if (direct)
		__sync_fetch_and_add(&s->direct_written, bytes);
	if (bytes < SMALL) {
		__sync_fetch_and_add(&s->small, 1);
		__sync_fetch_and_add(&s->small_bytes, bytes);
	}
	return 0;
}

/* without counts what names no file that is open: one that was deleted, or an open that failed. */
__attribute__((noinline)) int without(int deleted)
{
	struct sum *s = sum_of(0, NO_FILE);

	if (s)
		__sync_fetch_and_add(deleted ? &s->deleted : &s->failed, 1);
	return 0;
}

#define AT_REMOVEDIR 0x200

/* deleted passes the path of a file that is gone, or counts it by process. */
__attribute__((noinline)) int deleted(__u64 path, int at, __u32 flags)
{
	struct task_struct *t = bpf_get_current_task_btf();
	__u32 pid = process_number(t);

	if (!pid)
		return 0;
	if (deletions < DELETIONS && name(t, pid, path, at, 0, flags, 0)) {
		__sync_fetch_and_add(&deletions, 1);
		return 0;
	}
	return without(1);
}

SEC("tp_btf/sys_exit")
int file_used(__u64 *ctx)
{
	void *regs = (void *)ctx[0];
	__u32 number = call_number(regs);
	struct task_struct *t;
	__s64 result = ctx[1];
	int call;

	if (!counting || number >= NUMBERS)
		return 0;
	barrier_var(number); /* the verifier looks for the bound in the register that is used */
	if (number >= NUMBERS || !(call = kinds[number]))
		return 0;
	t = bpf_get_current_task_btf();
	if (t->tgid == reader || other_table(t))
		return 0;
	switch (call) {
	case OPEN:
		if (result < 0)
			return without(0);
		return use((__u64)file_of(t, result), 0, OPENS, number);
	}
	if (result < 0)
		return 0;
	switch (call) {
	case UNLINK:
		return deleted(argument(regs, 0), AT_FDCWD, 0);
	case UNLINKAT:
		return deleted(argument(regs, 1), argument(regs, 0), argument(regs, 2));
	case RMDIR:
		return deleted(argument(regs, 0), AT_FDCWD, AT_REMOVEDIR);
	case READ:
		return use((__u64)file_of(t, argument(regs, 0)), result, READS, number);
	case WRITE:
		return use((__u64)file_of(t, argument(regs, 0)), result, WRITES, number);
	case SENDFILE:
		use((__u64)file_of(t, argument(regs, 1)), result, READS, number);
		return use((__u64)file_of(t, argument(regs, 0)), result, WRITES, number);
	case COPY:
		use((__u64)file_of(t, argument(regs, 0)), result, READS, number);
		return use((__u64)file_of(t, argument(regs, 2)), result, WRITES, number);
	}
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	reader = bpf_get_current_task_btf()->tgid;
	return 0;
}
