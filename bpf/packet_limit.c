// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets so many packets a second through, whatever their size, and throws the
 * rest away, as clouds and firewalls do that limit packets. Labs put it on an
 * interface; internal/lab/env/packetlimit.go loads it.
 *
 * Connects pass, so that the limit is felt by who is connected: lost connects
 * have a lab of their own.
 *
 * It is a bucket of tokens, kept as one number: the time at which the next
 * packet is due (the generic cell rate algorithm, ITU-T I.371).
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

/* The first members of include/uapi/linux/bpf.h, none of which is used. */
struct __sk_buff {
	__u32 len;
};

/* enum tcx_action_base of include/uapi/linux/bpf.h */
#define TCX_NEXT -1
#define TCX_DROP 2

const volatile __u64 interval_ns; /* between two packets */
const volatile __u64 burst_ns;    /* how far ahead of it packets may come */

__u64 due;

#define ETHERNET 14 /* bytes of its header */
#define TCP 6
#define SYN 2

static int connects(struct __sk_buff *packet)
{
	__u8 version, protocol, flags;

	if (bpf_skb_load_bytes(packet, ETHERNET, &version, 1) || version >> 4 != 4 ||
	    bpf_skb_load_bytes(packet, ETHERNET + 9, &protocol, 1) || protocol != TCP ||
	    bpf_skb_load_bytes(packet, ETHERNET + (version & 15) * 4 + 13, &flags, 1))
		return 0;
	return flags & SYN;
}

SEC("tc")
int limit(struct __sk_buff *packet)
{
	__u64 now = bpf_ktime_get_ns();

	if (connects(packet))
		return TCX_NEXT;
	/* Another CPU may take a token at the same time: look again. */
	for (int i = 0; i < 8; i++) {
		__u64 old = due, at = old;

		if (at + burst_ns < now)
			at = now - burst_ns;
		if (at > now)
			return TCX_DROP;
		if (__sync_val_compare_and_swap(&due, old, at + interval_ns) == old)
			return TCX_NEXT;
	}
	return TCX_DROP;
}
