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

#include "given.h"

/* Calls by number, as what they pass; set by the reader. */
enum call { NO_CALL, OPEN, OPENAT, OPENAT2, CREAT };
#define NUMBERS 512
volatile __u8 kinds[NUMBERS];

#define O_CREAT 0100
#define O_WRONLY 1
#define O_TRUNC 01000

SEC("tp_btf/sys_exit")
int opened(__u64 *ctx)
{
	void *regs = (void *)ctx[0];
	__u32 number = call_number(regs), pid;
	struct task_struct *t;
	__s32 result = ctx[1];
	__u64 path, how;
	int call, at;

	if (number >= NUMBERS)
		return 0;
	barrier_var(number); /* the verifier looks for the bound in the register that is used */
	if (number >= NUMBERS || !(call = kinds[number]))
		return 0;
	t = bpf_get_current_task_btf();
	if (other_table(t) || !(pid = process_number(t)))
		return 0;
	at = call == OPENAT || call == OPENAT2 ? argument(regs, 0) : AT_FDCWD;
	path = argument(regs, call == OPENAT || call == OPENAT2);
	how = argument(regs, call == OPEN ? 1 : 2);
	if (call == OPENAT2 && bpf_probe_read_user(&how, sizeof(how), (void *)how))
		how = 0;
	if (call == CREAT)
		how = O_CREAT | O_WRONLY | O_TRUNC;
	if (!name(t, pid, path, at, result >= 0 ? file_of(t, result) : 0, how, result))
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
