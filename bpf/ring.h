/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring buffer of a program whose events are rare. The reader looks in at a
 * pace of its own and is woken only when half of the room is taken.
 */
#pragma once

#define RING (1 << 20) /* bytes */

/* Of include/uapi/linux/bpf.h. */
#define BPF_RB_NO_WAKEUP 1
#define BPF_RB_FORCE_WAKEUP 2
#define BPF_RB_AVAIL_DATA 0

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING);
} events SEC(".maps");

/* Events for which there was no room. */
__u64 lost;

static __always_inline int lose(void)
{
	__sync_fetch_and_add(&lost, 1);
	return 0;
}

static __always_inline __u64 wake(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > RING / 2 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}
