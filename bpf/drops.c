// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that the kernel drops: how many for which reason, in which function, in
 * which network namespace and for which port. internal/probe/event/drops reads the
 * sums.
 */
#include "kernel.h"
#include "counting.h"

char LICENSE[] SEC("license") = "GPL";

struct ns_common {
	unsigned int inum;
} CORE;

struct net {
	struct ns_common ns;
} CORE;

typedef struct {
	struct net *net;
} CORE possible_net_t;

struct net_device {
	char name[16];
	possible_net_t nd_net;
} CORE;

struct sock_common {
	possible_net_t skc_net;
} CORE;

struct sock {
	struct sock_common __sk_common;
} CORE;

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned char *head;
	unsigned int len;
	__be16 protocol;
	__u16 network_header;
} CORE;

#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
#define ETH_P_ARP 0x0806
#define TCP 6
#define UDP 17

#define MAX_SUMS 4096

/* Fields are in the order of their size: no padding is compared. */
struct key {
	__u64 location;
	__u32 netns, reason;
	char device[16];
	__u16 protocol; /* of the frame */
	__u16 port;     /* to which a TCP segment or a datagram went; 0: none, or of several */
	__u32 transport;
};

struct sum {
	__u64 packets, bytes;
	__u8 source[16], destination[16]; /* of the first packet */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_SUMS);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps");

__u64 crowded; /* packets for which there was no room */

/* Something was added since the reader cleared it. */
volatile __u32 fresh;

static __always_inline __u16 swapped(__be16 v)
{
	return __builtin_bswap16(v);
}

/* headers reads what a packet says of itself. */
static __always_inline void headers(struct sk_buff *skb, struct key *k, struct sum *s)
{
	unsigned char *at = BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, network_header);
	unsigned char header[40];
	__be16 port = 0;
	__u32 length;

	if (bpf_probe_read_kernel(header, 20, at))
		return;
	if (k->protocol == ETH_P_IP && header[0] >> 4 == 4) {
		length = (header[0] & 15) * 4;
		k->transport = header[9];
		__builtin_memcpy(s->source, header + 12, 4);
		__builtin_memcpy(s->destination, header + 16, 4);
		if (header[6] & 0x1f || header[7])
			return; /* a later fragment has no ports */
	} else if (k->protocol == ETH_P_IPV6 && header[0] >> 4 == 6) {
		if (bpf_probe_read_kernel(header, 40, at))
			return;
		length = 40;
		k->transport = header[6];
		__builtin_memcpy(s->source, header + 8, 16);
		__builtin_memcpy(s->destination, header + 24, 16);
	} else {
		return;
	}
	if (k->transport == TCP || k->transport == UDP) {
		bpf_probe_read_kernel(&port, sizeof(port), at + length + 2);
		k->port = swapped(port);
	}
}

static __always_inline int add(struct key *k, struct sum *one)
{
	struct sum *s = bpf_map_lookup_elem(&sums, k);

	if (!s) {
		if (!bpf_map_update_elem(&sums, k, one, 1 /* BPF_NOEXIST */))
			return 1;
		s = bpf_map_lookup_elem(&sums, k);
	}
	if (!s)
		return 0;
	__sync_fetch_and_add(&s->packets, one->packets);
	__sync_fetch_and_add(&s->bytes, one->bytes);
	return 1;
}

/* count adds a packet, and tells the reader. */
static __always_inline int count(struct key *k, struct sum *one)
{
	if (!add(k, one))
		return 0;
	if (!fresh)
		fresh = 1;
	return 1;
}

static __always_inline int drop(struct sk_buff *skb, __u64 location, __u32 reason, struct sock *sk)
{
	struct key k = {.location = location, .reason = reason};
	struct sum one = {.packets = 1};
	struct net_device *dev;

	if (!counting)
		return 0;
	k.protocol = swapped(BPF_CORE_READ(skb, protocol));
	/* Sockets of other families free their messages by the same function. */
	if (k.protocol != ETH_P_IP && k.protocol != ETH_P_IPV6 && k.protocol != ETH_P_ARP)
		return 0;
	if (!sk)
		sk = BPF_CORE_READ(skb, sk);
	/* In queues of sockets, dev is used for something else; reading it fails then. */
	dev = BPF_CORE_READ(skb, dev);
	if (dev && bpf_probe_read_kernel(k.device, sizeof(k.device), __builtin_preserve_access_index(&dev->name)))
		__builtin_memset(k.device, 0, sizeof(k.device));
	if (sk)
		k.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	else if (dev)
		k.netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	one.bytes = BPF_CORE_READ(skb, len);
	headers(skb, &k, &one);
	if (count(&k, &one))
		return 0;
	/* Many ports share what is left. */
	k.port = 0;
	if (!count(&k, &one))
		__sync_fetch_and_add(&crowded, 1);
	return 0;
}

/* Linux 6.11 and later tell the socket that would have received it. */
SEC("tp_btf/kfree_skb")
int dropped_by_socket(__u64 *ctx)
{
	return drop((struct sk_buff *)ctx[0], ctx[1], ctx[2], (struct sock *)ctx[3]);
}

/* Linux 5.17 and later tell the reason. */
SEC("tp_btf/kfree_skb")
int dropped(__u64 *ctx)
{
	return drop((struct sk_buff *)ctx[0], ctx[1], ctx[2], 0);
}

#include "names.h"
