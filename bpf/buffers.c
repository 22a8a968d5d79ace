// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive buffers that overflow, and those of TCP that grow: of which socket, how large
 * they are then, and how large they may become. internal/probe/event/buffers reads the
 * sums.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct pid;

struct task_struct {
	int pid, tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	char comm[16];
} CORE;

#include "counting.h"
#include "pidns.h"
#include "endpoint.h"

typedef struct {
	int counter;
} atomic_t;

/* What buffers have, beside the members in endpoint.h. */
struct sock___buffer {
	struct {
		atomic_t rmem_alloc;
	} sk_backlog;
	int sk_rcvbuf;
	unsigned char sk_userlocks : 4;
	__u16 sk_type;
} CORE;

struct netns_ipv4 {
	int sysctl_tcp_rmem[3];
} CORE;

struct net___buffer {
	struct netns_ipv4 ipv4;
} CORE;

struct sk_buff {
	unsigned int len, truesize;
} CORE;

enum skb_drop_reason {
	SKB_DROP_REASON_PROTO_MEM,
	SKB_DROP_REASON_TCP_ZEROWINDOW,
	SKB_DROP_REASON_TCP_OFO_QUEUE_PRUNE,
};

#define IPPROTO_TCP 6
#define SOCK_RAW 3
#define SOCK_RCVBUF_LOCK 2 /* the program has set SO_RCVBUF */
#define SK_MEM_RECV 1
#define ENOMEM 12

/* Of include/uapi/linux/bpf.h. */
#define BPF_NOEXIST 1
#define BPF_F_NO_PREALLOC 1

enum kind { FULL, NO_MEMORY, ZERO_WINDOW, PRUNED, GREW, AT_LIMIT, FIXED };

#define MAX_SUMS 2048
#define MAX_APART 1536 /* of them for single sockets */

struct key {
	__u64 inode;
	struct endpoints ends;
	__u32 pid; /* of the reader, when a buffer grows */
	__u8 kind, unused;
	__u16 protocol;
	__u32 unused_too;
};

struct sum {
	__u64 times, bytes;
	__u64 started; /* of the process, ns since boot */
	__u32 buffer, largest, limit; /* bytes: the last time, of all times, and up to which it grows by itself */
	__u32 set; /* by the program */
	char process[16];
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

volatile __u32 too;    /* sums_too is filled */
volatile __u32 apart;  /* sums of single sockets, since the reader began to empty the others */
volatile __u32 growth; /* buffers that grow are counted, not only those that cannot */
__u64 crowded;         /* times for which there was no room */

static __always_inline struct sum *sum_of(struct key *k, struct sum *one)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct sum *s = bpf_map_lookup_elem(map, k), fresh = *one;

	if (s)
		return s;
	fresh.times = fresh.bytes = 0;
	if (apart < MAX_APART) {
		__sync_fetch_and_add(&apart, 1);
	} else {
		/* Which of both ports is the service is not known; those of clients are mostly high. */
		if (k->ends.remote_port && k->ends.remote_port < k->ends.local_port)
			k->ends.local_port = 0;
		else
			k->ends.remote_port = 0;
		__builtin_memset(k->ends.local, 0, sizeof(k->ends.local));
		__builtin_memset(k->ends.remote, 0, sizeof(k->ends.remote));
		k->ends.family = 0;
		k->inode = 0;
	}
	bpf_map_update_elem(map, k, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, k);
}

static __attribute__((noinline)) int count(struct key *k, struct sum *one)
{
	struct sum *s = sum_of(k, one);

	if (!s) {
		__sync_fetch_and_add(&crowded, 1);
		return 0;
	}
	__sync_fetch_and_add(&s->times, 1);
	__sync_fetch_and_add(&s->bytes, one->bytes);
	s->buffer = one->buffer;
	s->limit = one->limit;
	s->set = one->set;
	if (one->buffer > s->largest)
		s->largest = one->buffer;
	return 0;
}

/* buffer_of reads what the buffer of a socket has and may have. */
static __always_inline void buffer_of(struct sum *one, struct sock *sk, __u16 protocol)
{
	struct sock___buffer *b = (void *)sk;

	one->buffer = BPF_CORE_READ(b, sk_rcvbuf);
	one->set = !!(BPF_CORE_READ_BITFIELD_PROBED(b, sk_userlocks) & SOCK_RCVBUF_LOCK);
	if (protocol == IPPROTO_TCP && !one->set) {
		struct net___buffer *net = (void *)BPF_CORE_READ(sk, __sk_common.skc_net.net);

		one->limit = BPF_CORE_READ(net, ipv4.sysctl_tcp_rmem[2]);
	}
}

/* tell counts what happened to a socket, and the bytes that it did not take. */
static __always_inline int tell(struct key *k, struct sum *one, struct sock *sk)
{
	endpoints_of(&k->ends, sk);
	k->ends.state = 0;
	if (k->ends.family != AF_INET && k->ends.family != AF_INET6) {
		/* Sockets of other families have something else there. */
		__builtin_memset(k->ends.local, 0, sizeof(k->ends.local));
		__builtin_memset(k->ends.remote, 0, sizeof(k->ends.remote));
		k->ends.local_port = k->ends.remote_port = 0;
	} else if (BPF_CORE_READ((struct sock___buffer *)sk, sk_type) == SOCK_RAW) {
		k->ends.local_port = k->ends.remote_port = 0; /* the number of the protocol */
	}
	k->inode = inode_of(sk);
	return count(k, one);
}

static __always_inline int overflow(struct sock *sk, __u8 kind, __u16 protocol, __u32 bytes)
{
	struct key k = {.kind = kind, .protocol = protocol};
	struct sum one = {.bytes = bytes};

	if (!counting)
		return 0;
	buffer_of(&one, sk, protocol);
	return tell(&k, &one, sk);
}

/* Datagrams of UDP. Linux 6.10 and later tell those over IPv6, too, and pass the packet. */
SEC("tp_btf/udp_fail_queue_rcv_skb")
int datagram_refused_with_packet(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[1];
	struct sk_buff *skb = (struct sk_buff *)ctx[2];

	/* Else there is no memory, of which sock_exceed_buf_limit tells. */
	if ((int)ctx[0] != -ENOMEM)
		return 0;
	return overflow(sk, FULL, BPF_CORE_READ(sk, sk_protocol), BPF_CORE_READ(skb, len));
}

SEC("tp_btf/udp_fail_queue_rcv_skb")
int datagram_refused(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[1];

	if ((int)ctx[0] != -ENOMEM)
		return 0;
	return overflow(sk, FULL, BPF_CORE_READ(sk, sk_protocol), 0);
}

/* Raw sockets, ping sockets and those of other families. */
SEC("tp_btf/sock_rcvqueue_full")
int queue_full(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct sk_buff *skb = (struct sk_buff *)ctx[1];

	return overflow(sk, FULL, BPF_CORE_READ(sk, sk_protocol), BPF_CORE_READ(skb, len));
}

/* The memory of all sockets of a protocol has reached its limit. */
SEC("tp_btf/sock_exceed_buf_limit")
int memory_exceeded(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];

	if ((int)ctx[3] != SK_MEM_RECV)
		return 0;
	return overflow(sk, NO_MEMORY, BPF_CORE_READ(sk, sk_protocol), 0);
}

/* is says that a reason is one that this kernel has. */
#define is(reason, name) \
	(bpf_core_enum_value_exists(enum skb_drop_reason, name) && (reason) == bpf_core_enum_value(enum skb_drop_reason, name))

/* Segments that TCP drops because the receiver has no room. */
SEC("tp_btf/kfree_skb")
int segment_dropped(__u64 *ctx)
{
	struct sk_buff *skb = (struct sk_buff *)ctx[0];
	__u32 reason = ctx[2];
	struct sock *sk = (struct sock *)ctx[3];
	struct sock___buffer *b = (void *)sk;
	__u8 kind;

	if (is(reason, SKB_DROP_REASON_TCP_ZEROWINDOW))
		kind = ZERO_WINDOW;
	else if (is(reason, SKB_DROP_REASON_TCP_OFO_QUEUE_PRUNE))
		kind = PRUNED;
	else if (is(reason, SKB_DROP_REASON_PROTO_MEM))
		kind = FULL;
	else
		return 0;
	if (!sk || BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return 0;
	/* Else all of TCP has no memory, of which sock_exceed_buf_limit tells. */
	if (kind == FULL && BPF_CORE_READ(b, sk_backlog.rmem_alloc.counter) + BPF_CORE_READ(skb, truesize) <= BPF_CORE_READ(b, sk_rcvbuf))
		return 0;
	return overflow(sk, kind, IPPROTO_TCP, BPF_CORE_READ(skb, len));
}

/* A reader takes more in a round trip than ever before: the buffer grows, if it may. */
SEC("tp_btf/tcp_rcvbuf_grow")
int grows(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct key k = {.kind = GREW, .protocol = IPPROTO_TCP};
	struct sum one = {};
	struct task_struct *t, *leader;

	if (!counting)
		return 0;
	buffer_of(&one, sk, IPPROTO_TCP);
	if (one.set)
		k.kind = FIXED;
	else if (one.buffer >= one.limit)
		k.kind = AT_LIMIT;
	else if (!growth)
		return 0;
	t = bpf_get_current_task_btf();
	leader = t->group_leader;
	k.pid = process_number(t);
	one.started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(one.process, sizeof(one.process), &leader->comm);
	return tell(&k, &one, sk);
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
