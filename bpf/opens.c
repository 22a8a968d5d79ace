// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that processes open, and fail to open: one event each, in a ring buffer, with
 * the path as the program gave it and, if that is a relative one, the path of what it
 * is relative to. It is seen where the call ends: the path is in memory by then.
 * internal/probe/event/opens parses the events.
 */
#include "kernel.h"
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

#define PATHS 1 /* none is kept */

#include "pidns.h"
#include "syscall.h"
#include "path.h"

struct fs_struct {
	struct path pwd;
} CORE;

/* Calls by number, as what they pass; set by the reader. */
enum call { NO_CALL, OPEN, OPENAT, OPENAT2, CREAT };
#define NUMBERS 512
volatile __u8 kinds[NUMBERS];

#define GIVEN 1024 /* bytes of a path, with its zero */
#define BASE (PATH_ROOM + NAME_ROOM)

enum { BASE_FILE = 1, BASE_DIRECTORY = 2 };

struct event {
	__u64 at, started;       /* ns since boot: of the monotonic clock, with suspend */
	__u32 pid, result;       /* a descriptor, or an error below 0 */
	__u32 flags;             /* O_CREAT and others */
	__u32 given, base, kind; /* bytes of the parts of text, and what the second one is */
	__u32 cut;               /* flags of struct names */
	__u32 unused;
	char comm[16];
	char text[GIVEN + BASE]; /* the path as it was given, then names as in struct names */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct event);
} room SEC(".maps");

#define AT_FDCWD -100
#define O_CREAT 0100
#define O_WRONLY 1
#define O_TRUNC 01000

SEC("tp_btf/sys_exit")
int opened(__u64 *ctx)
{
	void *regs = (void *)ctx[0];
	__u32 number = call_number(regs), zero = 0, length, more;
	struct task_struct *t, *leader;
	struct vfsmount *vfs = 0;
	struct dentry *d = 0;
	struct names *n;
	struct event *e;
	struct file *f;
	__u64 path, how;
	long read;
	int call, at;

	if (number >= NUMBERS)
		return 0;
	barrier_var(number); /* the verifier looks for the bound in the register that is used */
	if (number >= NUMBERS || !(call = kinds[number]))
		return 0;
	t = bpf_get_current_task_btf();
	e = bpf_map_lookup_elem(&room, &zero);
	n = bpf_map_lookup_elem(&path_room, &zero);
	if (!e || !n || other_table(t) || !(e->pid = process_number(t)))
		return 0;
	leader = t->group_leader;
	e->at = bpf_ktime_get_ns();
	e->started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(e->comm, sizeof(e->comm), &leader->comm);
	e->result = ctx[1];
	e->base = e->kind = e->cut = 0;
	at = call == OPENAT || call == OPENAT2 ? argument(regs, 0) : AT_FDCWD;
	path = argument(regs, call == OPENAT || call == OPENAT2);
	how = argument(regs, call == OPEN ? 1 : 2);
	if (call == OPENAT2 && bpf_probe_read_user(&how, sizeof(how), (void *)how))
		how = 0;
	e->flags = call == CREAT ? O_CREAT | O_WRONLY | O_TRUNC : how;
	read = bpf_probe_read_user_str(e->text, GIVEN, (void *)path);
	length = read < 0 ? 0 : read;
	if (length > GIVEN)
		return 0;
	e->given = length;
	more = 0;
	if (e->text[0] != '/' || !length) {
		if ((int)e->result >= 0) {
			e->kind = BASE_FILE;
			f = file_of(t, e->result);
		} else {
			e->kind = BASE_DIRECTORY;
			f = at == AT_FDCWD ? 0 : file_of(t, at);
		}
		if (f) {
			d = BPF_CORE_READ(f, f_path.dentry);
			vfs = BPF_CORE_READ(f, f_path.mnt);
		} else if (e->kind == BASE_DIRECTORY && at == AT_FDCWD) {
			d = BPF_CORE_READ(t, fs, pwd.dentry);
			vfs = BPF_CORE_READ(t, fs, pwd.mnt);
		}
		if (d) {
			walk(n, d, vfs);
			more = n->bytes;
			e->cut = n->flags;
		}
	}
	if (more > BASE)
		more = BASE;
	barrier_var(more);
	barrier_var(length);
	if (length > GIVEN || more > BASE)
		return 0;
	if (more && bpf_probe_read_kernel(e->text + length, more, n->text))
		more = 0;
	e->base = more;
	length += more + __builtin_offsetof(struct event, text);
	barrier_var(length);
	if (length > sizeof(*e) || bpf_ringbuf_output(&events, e, length, wake()))
		return lose();
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
