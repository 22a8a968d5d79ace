// SPDX-License-Identifier: GPL-2.0-only
/*
 * One row for every descriptor of a process that is a socket: who holds it. In
 * /proc that takes one readlink for each descriptor of whatever kind.
 * The rows are what internal/probe/kernel/sock_file.go parses.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct inode {
	unsigned long i_ino;
} CORE;

struct file {
	struct inode *f_inode;
} CORE;

struct task_struct {
	int tgid;
} CORE;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
} CORE;

struct socket_file_row {
	__u32 pid, fd;
	__u64 inode;
};

/* The iterator leaves out threads that share the descriptors of their process. */
SEC("iter/task_file")
int socket_files(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct task_struct *task = ctx->task;
	struct socket_file_row r;

	if (!task || !file || !bpf_sock_from_file(file))
		return 0;
	r.pid = task->tgid;
	r.fd = ctx->fd;
	r.inode = file->f_inode->i_ino;
	bpf_seq_write(ctx->meta->seq, &r, sizeof(r));
	return 0;
}
