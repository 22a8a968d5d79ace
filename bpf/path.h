/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a process has open, and their paths: those in the mount namespace of
 * the process, across mounts, as far as there is room. Include it after struct
 * task_struct, which needs the member files.
 */
#pragma once

struct qstr {
	const unsigned char *name;
} CORE;

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
} CORE;

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
} CORE;

struct vfsmount {
	struct dentry *mnt_root;
} CORE;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
} CORE;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} CORE;

struct super_block {
	__u32 s_dev;
} CORE;

struct inode {
	unsigned short i_mode;
	__u32 i_rdev;
	unsigned long i_ino;
	__s64 i_size;
	__u32 i_generation;
	struct super_block *i_sb;
} CORE;

struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags, f_mode;
} CORE;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} CORE;

struct files_struct {
	struct fdtable *fdt;
} CORE;

/* file_of is what a descriptor of a task stands for. */
static __always_inline struct file *file_of(struct task_struct *t, __u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(t, files, fdt);
	struct file **list, *f = 0;

	if (!table || fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	list = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&f, sizeof(f), list + fd);
	return f;
}

struct file_id {
	__u64 inode;
	__u32 device; /* major << 20 | minor; 0: no file */
	__u32 generation; /* an inode number is used again after a deletion */
};

static __always_inline struct file_id id_of(struct file *f)
{
	struct file_id id = {};
	struct inode *inode = BPF_CORE_READ(f, f_inode);

	id.inode = BPF_CORE_READ(inode, i_ino);
	id.device = BPF_CORE_READ(inode, i_sb, s_dev);
	id.generation = BPF_CORE_READ(inode, i_generation);
	return id;
}

#define NAME_ROOM 256 /* NAME_MAX and the zero */
#define PATH_ROOM 1024
#define LEVELS 48 /* names and mounts in a path */

enum { PATH_CUT = 1, PATH_DELETED = 2 };

/* Names of a path, the innermost first, each with its zero. */
struct names {
	__u32 bytes;
	__u32 flags;
	char text[PATH_ROOM + NAME_ROOM];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PATHS);
	__uint(map_flags, 1); /* BPF_F_NO_PREALLOC */
	__type(key, struct file_id);
	__type(value, struct names);
} paths SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct names);
} path_room SEC(".maps");

/* Files for whose paths there was no room. */
__u64 pathless;

/* walk fills n with the path of a name. */
static __always_inline void walk(struct names *n, struct dentry *d, struct vfsmount *vfs)
{
	struct dentry *up, *root = BPF_CORE_READ(vfs, mnt_root);

	n->flags = BPF_CORE_READ(d, d_hash.pprev) || d == root ? PATH_CUT : PATH_CUT | PATH_DELETED;
	n->bytes = 0;
	for (int i = 0; i < LEVELS; i++) {
		/* Read from memory, it is the same to the verifier in each round. */
		__u32 at = *(volatile __u32 *)&n->bytes;
		struct mount *m;
		long read;

		up = BPF_CORE_READ(d, d_parent);
		if (d == root || d == up) {
			m = (void *)vfs - bpf_core_field_offset(struct mount, mnt);
			if (d != root || BPF_CORE_READ(m, mnt_parent) == m) {
				n->flags &= ~PATH_CUT;
				break;
			}
			d = BPF_CORE_READ(m, mnt_mountpoint);
			m = BPF_CORE_READ(m, mnt_parent);
			vfs = (void *)m + bpf_core_field_offset(struct mount, mnt);
			root = BPF_CORE_READ(vfs, mnt_root);
			continue;
		}
		if (at > PATH_ROOM)
			break;
		read = bpf_probe_read_kernel_str(n->text + at, NAME_ROOM, BPF_CORE_READ(d, d_name.name));
		if (read <= 0)
			break;
		*(volatile __u32 *)&n->bytes = at + read;
		d = up;
	}
}

/* learn_path keeps the path of a file, if it is not known. */
static __always_inline void learn_path(const struct file_id *id, struct file *f)
{
	struct names *n;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(&paths, id))
		return;
	n = bpf_map_lookup_elem(&path_room, &zero);
	if (!n)
		return;
	walk(n, BPF_CORE_READ(f, f_path.dentry), BPF_CORE_READ(f, f_path.mnt));
	if (bpf_map_update_elem(&paths, id, n, 1 /* BPF_NOEXIST */) && !bpf_map_lookup_elem(&paths, id))
		__sync_fetch_and_add(&pathless, 1);
}
