/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who talks to whom: addresses, ports and network namespace of a TCP socket. All
 * kinds of socket begin with struct sock_common: connections, listeners, half-open
 * ones and those in TIME_WAIT. internal/probe/event reads struct endpoints.
 */
#pragma once

#define AF_INET 2
#define AF_INET6 10

struct ns_common {
	unsigned int inum;
} CORE;

struct net {
	struct ns_common ns;
} CORE;

typedef struct {
	struct net *net;
} CORE possible_net_t;

struct in6_addr {
	__u8 bytes[16];
};

struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} CORE;

struct inode {
	unsigned long i_ino;
} CORE;

struct socket_alloc {
	struct inode vfs_inode;
} CORE;

struct socket {} CORE;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	__u16 sk_protocol;
	int sk_err;
	unsigned long sk_ino; /* since Linux 6.17 */
} CORE;

struct inet_sock {
	__be16 inet_sport;
} CORE;

struct endpoints {
	__u8 local[16], remote[16]; /* an IPv4 address has the first four bytes */
	__u32 netns;
	__u16 local_port, remote_port;
	__u8 family, state;
	__u16 unused; /* nothing is padded: it is compared as part of a key */
};

static __always_inline __u16 swapped(__be16 v)
{
	return __builtin_bswap16(v);
}

static __always_inline void endpoints_of(struct endpoints *e, const void *sk)
{
	const struct sock_common *c = sk;

	e->family = BPF_CORE_READ(c, skc_family);
	e->state = BPF_CORE_READ(c, skc_state);
	e->netns = BPF_CORE_READ(c, skc_net.net, ns.inum);
	e->local_port = BPF_CORE_READ(c, skc_num);
	e->remote_port = swapped(BPF_CORE_READ(c, skc_dport));
	/* A connection that ends has given its port back: it is a struct inet_sock. */
	if (!e->local_port)
		e->local_port = swapped(BPF_CORE_READ((struct inet_sock *)sk, inet_sport));
	if (e->family == AF_INET6) {
		bpf_core_read(e->local, 16, &c->skc_v6_rcv_saddr);
		bpf_core_read(e->remote, 16, &c->skc_v6_daddr);
		return;
	}
	bpf_core_read(e->local, 4, &c->skc_rcv_saddr);
	bpf_core_read(e->remote, 4, &c->skc_daddr);
}

/* inode_of is that of a connection or listener; 0: no process holds it. */
static __always_inline __u64 inode_of(struct sock *sk)
{
	struct socket_alloc *holder;

	if (bpf_core_field_exists(sk->sk_ino))
		return BPF_CORE_READ(sk, sk_ino);
	holder = (void *)BPF_CORE_READ(sk, sk_socket);
	return holder ? BPF_CORE_READ(holder, vfs_inode.i_ino) : 0;
}
