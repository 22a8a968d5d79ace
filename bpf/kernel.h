/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all programs share: fixed-width types and the little of the kernel's
 * own types they read. Every struct names only the members that are used; the
 * loader finds where the running kernel keeps them (CO-RE).
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#define CORE __attribute__((preserve_access_index))

/* Map types of include/uapi/linux/bpf.h that bpf_helpers.h speaks of. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct seq_file {} CORE;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
} CORE;
