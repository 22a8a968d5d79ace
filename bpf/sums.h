/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all programs with the maps sums and sums_too share. Include it after struct
 * key, struct sum with the members started and process, and struct task_struct.
 */
#pragma once

volatile __u32 too; /* sums_too is filled, and the reader empties sums */

/* What found no room. */
__u64 crowded, crowded_ns;

/* make begins a sum for a process; 0: there is no room. */
static __always_inline struct sum *make(void *map, struct key *k, struct task_struct *t)
{
	struct sum fresh = {};
	struct task_struct *leader = t->group_leader;

	fresh.started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(fresh.process, sizeof(fresh.process), &leader->comm);
	bpf_map_update_elem(map, k, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, k);
}
