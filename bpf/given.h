/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that system calls name: an event in the ring buffer with the path as the program
 * gave it and, if that is a relative one, the path of what it is relative to. It is for
 * the end of a call: the path is in memory by then. Include it after ring.h, path.h and
 * struct task_struct, which needs the members fs, group_leader, start_boottime and comm.
 */
#pragma once

struct fs_struct {
	struct path pwd;
} CORE;

#define GIVEN 1024 /* bytes of a path, with its zero */
#define BASE (PATH_ROOM + NAME_ROOM)

enum { BASE_FILE = 1, BASE_DIRECTORY = 2 };

struct event {
	__u64 at, started;       /* ns since boot: of the monotonic clock, with suspend */
	__u32 pid, result;       /* a descriptor, or an error below 0 */
	__u32 flags;             /* of the call */
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

/*
 * name passes the event of a call that named a path, relative to a directory at or, if
 * it is known, to be told by the file itself; 0: it could not.
 */
static __always_inline int name(struct task_struct *t, __u32 pid, __u64 path, int at, struct file *f, __u32 flags, __u32 result)
{
	struct task_struct *leader = t->group_leader;
	__u32 zero = 0, length, more = 0;
	struct vfsmount *vfs = 0;
	struct dentry *d = 0;
	struct names *n;
	struct event *e;
	long read;

	e = bpf_map_lookup_elem(&room, &zero);
	n = bpf_map_lookup_elem(&path_room, &zero);
	if (!e || !n)
		return 0;
	e->pid = pid;
	e->at = bpf_ktime_get_ns();
	e->started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(e->comm, sizeof(e->comm), &leader->comm);
	e->result = result;
	e->flags = flags;
	e->base = e->kind = e->cut = 0;
	read = bpf_probe_read_user_str(e->text, GIVEN, (void *)path);
	length = read < 0 ? 0 : read;
	if (length > GIVEN)
		return 0;
	e->given = length;
	if (e->text[0] != '/' || !length) {
		e->kind = f ? BASE_FILE : BASE_DIRECTORY;
		if (!f && at != AT_FDCWD)
			f = file_of(t, at);
		if (f) {
			d = BPF_CORE_READ(f, f_path.dentry);
			vfs = BPF_CORE_READ(f, f_path.mnt);
		} else if (at == AT_FDCWD) {
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
	return length <= sizeof(*e) && !bpf_ringbuf_output(&events, e, length, wake());
}
