/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process IDs as the reader sees them, who may be in a PID namespace of their
 * own. Include it after struct task_struct, which needs the members pid,
 * thread_pid and group_leader.
 */
#pragma once

struct pid_namespace {} CORE;

struct upid {
	int nr;
	struct pid_namespace *ns;
} CORE;

struct pid {
	unsigned int level;
	struct upid numbers[1];
} CORE;

/* How many levels below the first one the reader's PID namespace is, and which it is. */
static __u32 reader_level;
static __u64 reader_namespace;

/* upid is where a pid has its number of a level; 0: it has none there. */
static __always_inline char *upid(struct pid *pid, __u32 level)
{
	if (!pid || level > BPF_CORE_READ(pid, level) || level > 32) /* MAX_PID_NS_LEVEL */
		return 0;
	return (char *)pid + bpf_core_field_offset(struct pid, numbers) + level * bpf_core_type_size(struct upid);
}

/* find_namespace notes the namespace of the current task, which is the reader. */
static __always_inline void find_namespace(void)
{
	struct task_struct *reader = (struct task_struct *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(reader, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	char *number = upid(pid, level);

	if (number)
		bpf_probe_read_kernel(&reader_namespace, sizeof(reader_namespace),
			number + bpf_core_field_offset(struct upid, ns));
	reader_level = level;
}

/* number is the PID of a task in the reader's namespace; 0: it is not there. */
static __always_inline __u32 number(struct task_struct *t, __u32 level)
{
	char *number = upid(BPF_CORE_READ(t, thread_pid), level);
	__u64 namespace = 0;
	int nr = 0;

	if (!number)
		return 0;
	bpf_probe_read_kernel(&namespace, sizeof(namespace), number + bpf_core_field_offset(struct upid, ns));
	if (namespace != reader_namespace)
		return 0;
	bpf_probe_read_kernel(&nr, sizeof(nr), number + bpf_core_field_offset(struct upid, nr));
	return nr;
}

static __always_inline __u32 task_number(struct task_struct *t)
{
	return reader_level ? number(t, reader_level) : BPF_CORE_READ(t, pid);
}

static __always_inline __u32 process_number(struct task_struct *t)
{
	return task_number(BPF_CORE_READ(t, group_leader));
}
