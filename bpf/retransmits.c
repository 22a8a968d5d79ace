// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP segments that are sent again, and resets, by connection: how many, in which
 * state, and of resets that this host sends the kernel's reason.
 * internal/probe/event/retransmits reads the sums.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

#include "counting.h"
#include "endpoint.h"

struct net_device {
	possible_net_t nd_net;
} CORE;

struct sk_buff {
	struct net_device *dev;
	unsigned char *head;
	unsigned int len;
	__u16 network_header, transport_header;
	char cb[48];
} CORE;

/* What TCP keeps of a segment in cb. */
struct tcp_skb_cb {
	__u16 tcp_gso_segs;
	__u8 tcp_flags; /* two bytes since Linux 6.17, of which this is the first */
} CORE;

#define TCPHDR_SYN 0x02
#define TCPHDR_ACK 0x10
#define TCP_SYN_SENT 2
#define TCP_CLOSE 7
#define TCP_CLOSE_WAIT 8
#define TCP_LISTEN 10

/* Bit of skc_flags: the other end has closed. */
#define SOCK_DONE 1

struct sock_common___flags {
	unsigned long skc_flags;
} CORE;

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_F_NO_PREALLOC 1

/* Errors with which the kernel gives up before it has counted the segment as sent again. */
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define EHOSTUNREACH 113

enum kind { SEGMENT, SYN, SYN_ACK, RESET_SENT, RESET_RECEIVED };

/*
 * Some sums are for connections, some for the services of those that are left out,
 * and the rest for network namespaces: a scan of ports fills the first two.
 */
#define MAX_SUMS 2048
#define MAX_REPEATS 1024
#define MAX_RESETS 512
#define MAX_SERVICES 384

struct key {
	struct endpoints ends;
	__u32 kind;
	__u32 reason; /* of a reset that this host sends */
};

struct sum {
	__u64 packets, bytes;
	__u64 failed; /* that this host did not get out */
	__u64 inode;
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

volatile __u32 too;             /* sums_too is filled */
volatile __u32 repeats, resets; /* connections that have sums, since the reader began to empty the others */
volatile __u32 services;        /* and services */
__u64 crowded;                  /* packets for which there was no room */

static __attribute__((noinline)) int add(void *map, struct key *k, struct sum *one, int fresh)
{
	struct sum *s = bpf_map_lookup_elem(map, k);

	if (!s) {
		if (!fresh)
			return 0;
		if (!bpf_map_update_elem(map, k, one, BPF_NOEXIST))
			return 2;
		s = bpf_map_lookup_elem(map, k);
	}
	if (!s)
		return 0;
	__sync_fetch_and_add(&s->packets, one->packets);
	__sync_fetch_and_add(&s->bytes, one->bytes);
	__sync_fetch_and_add(&s->failed, one->failed);
	return 1;
}

/* count adds to the sum of a connection, else of its service, else of its namespace. */
static __attribute__((noinline)) int count(struct key *k, struct sum *one)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	int reset = k->kind >= RESET_SENT;
	__u16 service;

	/* A connection is reset once: it has no sum yet. */
	if (reset && resets >= MAX_RESETS && k->ends.local_port && k->ends.remote_port)
		goto others;
	switch (add(map, k, one, reset ? resets < MAX_RESETS : repeats < MAX_REPEATS)) {
	case 2:
		if (reset)
			__sync_fetch_and_add(&resets, 1);
		else
			__sync_fetch_and_add(&repeats, 1);
		return 0;
	case 1:
		return 0;
	}
others:
	/* Which of both is the service is not known; ports of clients are mostly high. */
	service = k->ends.local_port;
	if (k->ends.remote_port && (!service || k->ends.remote_port < service)) {
		k->ends.local_port = 0;
	} else {
		k->ends.remote_port = 0;
	}
	__builtin_memset(k->ends.local, 0, sizeof(k->ends.local));
	__builtin_memset(k->ends.remote, 0, sizeof(k->ends.remote));
	k->ends.family = k->ends.state = 0;
	one->inode = 0;
	switch (add(map, k, one, services < MAX_SERVICES)) {
	case 2:
		__sync_fetch_and_add(&services, 1);
		return 0;
	case 1:
		return 0;
	}
	k->ends.local_port = k->ends.remote_port = 0;
	if (!add(map, k, one, 1))
		__sync_fetch_and_add(&crowded, one->packets);
	return 0;
}

static __always_inline int segment(struct sock *sk, struct sk_buff *skb, int err)
{
	struct tcp_skb_cb *cb = (void *)((char *)skb + bpf_core_field_offset(struct sk_buff, cb));
	struct key k = {};
	struct sum one = {};

	if (!counting)
		return 0;
	endpoints_of(&k.ends, sk);
	one.packets = BPF_CORE_READ(cb, tcp_gso_segs);
	if (!one.packets)
		one.packets = 1;
	if (err)
		one.failed = one.packets;
	if (err == -EAGAIN || err == -ENOMEM || err == -EBUSY || err == -EINVAL || err == -EHOSTUNREACH)
		one.packets = 0;
	else
		one.bytes = BPF_CORE_READ(skb, len);
	one.inode = inode_of(sk);
	k.kind = BPF_CORE_READ(cb, tcp_flags) & TCPHDR_SYN ? SYN : SEGMENT;
	return count(&k, &one);
}

/* Linux 6.18 and later tell of attempts that fail, too. */
SEC("tp_btf/tcp_retransmit_skb")
int sent_again_or_failed(__u64 *ctx)
{
	return segment((struct sock *)ctx[0], (struct sk_buff *)ctx[1], ctx[2]);
}

SEC("tp_btf/tcp_retransmit_skb")
int sent_again(__u64 *ctx)
{
	return segment((struct sock *)ctx[0], (struct sk_buff *)ctx[1], 0);
}

SEC("tp_btf/tcp_retransmit_synack")
int synack_sent_again(__u64 *ctx)
{
	struct key k = {.kind = SYN_ACK};
	struct sum one = {.packets = 1};

	if (!counting)
		return 0;
	endpoints_of(&k.ends, (void *)ctx[1]); /* a struct request_sock */
	return count(&k, &one);
}

/* answered takes the ends of a packet for which a reset is sent back. */
static __always_inline void answered(struct endpoints *e, struct sk_buff *skb)
{
	unsigned char *head = BPF_CORE_READ(skb, head), header[40];
	struct net_device *dev;
	__u8 tcp[14] = {};

	if (bpf_probe_read_kernel(header, 20, head + BPF_CORE_READ(skb, network_header)))
		return;
	if (header[0] >> 4 == 4) {
		e->family = AF_INET;
		__builtin_memcpy(e->remote, header + 12, 4);
		__builtin_memcpy(e->local, header + 16, 4);
	} else {
		if (bpf_probe_read_kernel(header, 40, head + BPF_CORE_READ(skb, network_header)))
			return;
		e->family = AF_INET6;
		__builtin_memcpy(e->remote, header + 8, 16);
		__builtin_memcpy(e->local, header + 24, 16);
	}
	bpf_probe_read_kernel(tcp, sizeof(tcp), head + BPF_CORE_READ(skb, transport_header));
	e->local_port = tcp[2] << 8 | tcp[3];
	/* Connects that are refused are one sum, whatever their port. */
	if ((tcp[13] & (TCPHDR_SYN | TCPHDR_ACK)) != TCPHDR_SYN)
		e->remote_port = tcp[0] << 8 | tcp[1];
	if (!e->netns && (dev = BPF_CORE_READ(skb, dev)))
		e->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
}

static __always_inline int reset(struct sock *sk, struct sk_buff *skb, __u32 reason)
{
	struct key k = {.kind = RESET_SENT, .reason = reason};
	struct sum one = {.packets = 1};

	if (!counting)
		return 0;
	if (sk)
		endpoints_of(&k.ends, sk);
	/* A program that closes has ended the connection already. */
	if (sk && !skb && k.ends.state == TCP_CLOSE && BPF_CORE_READ((struct sock_common___flags *)sk, skc_flags) & 1 << SOCK_DONE)
		k.ends.state = TCP_CLOSE_WAIT;
	/* A listener, or no socket at all: the packet says who is answered. */
	if (skb && (!sk || k.ends.state == TCP_LISTEN))
		answered(&k.ends, skb);
	return count(&k, &one);
}

/* Linux 6.10 and later tell the reason. */
SEC("tp_btf/tcp_send_reset")
int reset_sent_for_reason(__u64 *ctx)
{
	return reset((struct sock *)ctx[0], (struct sk_buff *)ctx[1], ctx[2]);
}

SEC("tp_btf/tcp_send_reset")
int reset_sent(__u64 *ctx)
{
	return reset((struct sock *)ctx[0], (struct sk_buff *)ctx[1], 0);
}

SEC("tp_btf/tcp_receive_reset")
int reset_received(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct key k = {.kind = RESET_RECEIVED};
	struct sum one = {.packets = 1};

	if (!counting)
		return 0;
	endpoints_of(&k.ends, sk);
	one.inode = inode_of(sk);
	if (k.ends.state == TCP_SYN_SENT)
		k.ends.local_port = 0; /* a connect that is refused */
	return count(&k, &one);
}
