// SPDX-License-Identifier: GPL-2.0-only
/*
 * One row for every TCP socket of all network namespaces, from one pass over
 * the hash tables that they share: connections, half-open ones and those in
 * TIME_WAIT from the table of connections, or listeners from theirs. What
 * iter/tcp and sock_diag offer is a pass for every namespace (sock_diag: and
 * for IPv4 and IPv6), and most of its time goes into empty buckets.
 *
 * The program is not attached to anything: the reader runs it, and finds the
 * rows in the map, which it has in its memory. Rows mean what tcp_get_info()
 * and inet_diag report; times are left as they are, in jiffies.
 *
 * It reads without locks, under RCU, as /proc/net/tcp does for connections. A
 * socket that moves to another bucket while its chain is walked shows in the
 * end mark of the chain, and the chain is walked again.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "GPL";

#define AF_INET 2
#define AF_INET6 10
#define BPF_F_MMAPABLE (1U << 10)

/* include/net/tcp_states.h */
#define TCP_SYN_RECV 3
#define TCP_TIME_WAIT 6
#define TCP_CLOSE 7
#define TCP_LISTEN 10
#define TCP_NEW_SYN_RECV 12

struct hlist_nulls_node {
	struct hlist_nulls_node *next;
} CORE;

struct hlist_nulls_head {
	struct hlist_nulls_node *first;
} CORE;

struct inet_ehash_bucket {
	struct hlist_nulls_head chain;
} CORE;

struct inet_listen_hashbucket {
	struct hlist_nulls_head nulls_head;
} CORE;

struct inet_hashinfo {
	struct inet_ehash_bucket *ehash;
	unsigned int ehash_mask;
	unsigned int lhash2_mask;
	struct inet_listen_hashbucket *lhash2;
} CORE;

struct inet_timewait_death_row {
	struct inet_hashinfo *hashinfo;
} CORE;

struct netns_ipv4 {
	struct inet_timewait_death_row tcp_death_row;
} CORE;

struct ns_common {
	unsigned int inum;
} CORE;

struct net {
	struct ns_common ns;
	struct netns_ipv4 ipv4;
} CORE;

struct nsproxy {
	struct net *net_ns;
} CORE;

struct task_struct {
	struct nsproxy *nsproxy;
} CORE;

struct in6_addr {
	__u8 bytes[16];
};

typedef struct {
	int counter;
} CORE atomic_t;

typedef struct {
	unsigned int val;
} CORE kuid_t;

typedef struct {
	struct net *net;
} CORE possible_net_t;

struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
	struct hlist_nulls_node skc_nulls_node;
} CORE;

struct inode {
	unsigned long i_ino;
} CORE;

struct socket {
	short type;
} CORE;

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
} CORE;

struct sock {
	struct sock_common __sk_common;
	atomic_t sk_drops;
	struct {
		atomic_t rmem_alloc;
	} sk_backlog;
	struct socket *sk_socket;
	int sk_rcvbuf, sk_sndbuf, sk_wmem_queued;
	kuid_t sk_uid;
	__u32 sk_ack_backlog, sk_max_ack_backlog;
	unsigned long sk_ino; /* since Linux 6.17 */
} CORE;

struct inet_sock {
	struct sock sk;
} CORE;

struct tcp_congestion_ops {
	char name[16];
} CORE;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u32 icsk_rto;
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u8 icsk_retransmits, icsk_backoff;
	struct {
		__u32 lrcvtime;
	} icsk_ack;
} CORE;

struct minmax_sample {
	__u32 t, v;
} CORE;

struct minmax {
	struct minmax_sample s[3];
} CORE;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 write_seq, snd_una, snd_nxt, rcv_nxt, copied_seq;
	__u32 srtt_us, mdev_us;
	struct minmax rtt_min;
	__u32 snd_cwnd, mss_cache, packets_out, lost_out, total_retrans;
	__u32 segs_out, segs_in, data_segs_out, data_segs_in;
	__u32 lsndtime, chrono_start, chrono_stat[3];
	__u8 chrono_type;
	__u32 snd_wnd;
	__u64 bytes_acked, bytes_received, bytes_sent, bytes_retrans;
} CORE;

struct inet_timewait_sock {
	struct sock_common __tw_common;
	unsigned char tw_substate;
} CORE;

struct request_sock {
	__u8 num_retrans;
} CORE;

/* Linux 6.2: lets the program read a pointer as what it points to. */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

/* What follows is laid out in internal/probe/kernel/sock.go too. */

struct sock_row {
	__u8 family, state, retransmits, backoff;
	__u16 local_port;
	__be16 remote_port;
	__u8 local[16], remote[16];
	__u32 netns, inode, uid;
	__u32 recv_queue, send_queue, not_sent; /* a listener's: connections */
	__u32 srtt, mdev, min_rtt, rto, cwnd, mss, unacked, lost, total_retrans;
	__u32 segs_out, segs_in, data_segs_out, data_segs_in;
	__u32 last_send, last_receive, chrono_start, chrono[3];
	__u32 peer_window, rmem_alloc, rcv_buf, wmem_queued, snd_buf, drops;
	__u8 chrono_type, full, unused[2]; /* full: not half-open, not in TIME_WAIT */
	__u64 bytes_acked, bytes_received, bytes_sent, bytes_retrans;
	__u64 congestion[2]; /* a name */
};

#define ROWS 2048
#define WORDS 1024 /* of a table that are read at once */
#define GROUP 8    /* buckets that are looked at together */
#define TRIES 3    /* at a chain that changes while it is walked */

enum { LOCATE, CONNECTIONS, LISTENERS };

struct walk {
	/* Asked for. */
	__u32 what;
	__u32 bucket; /* where to begin; afterwards where to go on */
	__u64 hashinfo;
	/* Answered. */
	__u32 buckets, rows, lost, torn;
	__u64 jiffies, ktime;
	/* Used by the program only: where it is. */
	__u64 last_net, last_ca, last_name[2];
	__u64 table, node, mark;
	__u32 last_netns, kept, full;
	__u32 first, skip, group;
	__u32 stride, word; /* of the words of a bucket, the one that is the chain */
	__u64 words[WORDS];

	struct sock_row row[ROWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct walk);
} sock_walk SEC(".maps");

/*
 * What callbacks are given. Where the pass is stands in the map: of numbers on
 * the stack the verifier would follow every value.
 */
struct cursor {
	struct walk *w;
};

static __always_inline __u32 netns_of(struct walk *w, struct net *net)
{
	if (w->last_net != (__u64)net) {
		w->last_netns = BPF_CORE_READ(net, ns.inum);
		w->last_net = (__u64)net;
	}
	return w->last_netns;
}

static __always_inline __u32 inode_of(struct sock *sk)
{
	struct socket_alloc *holder;

	if (bpf_core_field_exists(sk->sk_ino))
		return sk->sk_ino;
	holder = (void *)sk->sk_socket;
	if (!holder)
		return 0;
	return BPF_CORE_READ(holder, vfs_inode.i_ino);
}

static __always_inline __u32 positive(__u32 n)
{
	return (__s32)n > 0 ? n : 0;
}

static __always_inline void fill(struct walk *w, struct sock_row *r, struct tcp_sock *tp)
{
	struct inet_connection_sock *icsk = &tp->inet_conn;
	struct sock *sk = &icsk->icsk_inet.sk;
	const struct tcp_congestion_ops *ca;

	r->full = 1;
	r->inode = inode_of(sk);
	r->uid = sk->sk_uid.val;
	if (!bpf_core_field_exists(sk->sk_ino) && !sk->sk_socket)
		r->uid = 0; /* as older kernels report it */
	r->rmem_alloc = sk->sk_backlog.rmem_alloc.counter;
	r->rcv_buf = sk->sk_rcvbuf;
	r->snd_buf = sk->sk_sndbuf;
	r->wmem_queued = sk->sk_wmem_queued;
	r->drops = sk->sk_drops.counter;
	if (r->state == TCP_LISTEN) {
		r->recv_queue = sk->sk_ack_backlog;
		r->send_queue = sk->sk_max_ack_backlog;
		return;
	}
	/* The ends of queues are read before they move on. */
	r->recv_queue = tp->copied_seq;
	r->recv_queue = positive(tp->rcv_nxt - r->recv_queue);
	r->send_queue = tp->snd_una;
	r->not_sent = tp->snd_nxt;
	r->send_queue = positive(tp->write_seq - r->send_queue);
	r->not_sent = positive(tp->write_seq - r->not_sent);
	r->retransmits = icsk->icsk_retransmits;
	r->backoff = icsk->icsk_backoff;
	r->rto = icsk->icsk_rto;
	r->srtt = tp->srtt_us;
	r->mdev = tp->mdev_us;
	r->min_rtt = tp->rtt_min.s[0].v;
	r->cwnd = tp->snd_cwnd;
	r->mss = tp->mss_cache;
	r->unacked = tp->packets_out;
	r->lost = tp->lost_out;
	r->total_retrans = tp->total_retrans;
	r->segs_out = tp->segs_out;
	r->segs_in = tp->segs_in;
	r->data_segs_out = tp->data_segs_out;
	r->data_segs_in = tp->data_segs_in;
	r->last_send = tp->lsndtime;
	r->last_receive = icsk->icsk_ack.lrcvtime;
	r->chrono_start = tp->chrono_start;
	r->chrono[0] = tp->chrono_stat[0];
	r->chrono[1] = tp->chrono_stat[1];
	r->chrono[2] = tp->chrono_stat[2];
	r->chrono_type = BPF_CORE_READ_BITFIELD(tp, chrono_type);
	r->peer_window = tp->snd_wnd;
	r->bytes_acked = tp->bytes_acked;
	r->bytes_received = tp->bytes_received;
	r->bytes_sent = tp->bytes_sent;
	r->bytes_retrans = tp->bytes_retrans;
	ca = icsk->icsk_ca_ops;
	if ((__u64)ca != w->last_ca) {
		w->last_ca = (__u64)ca;
		w->last_name[0] = w->last_name[1] = 0;
		if (ca)
			bpf_core_read(w->last_name, sizeof(w->last_name), &ca->name);
	}
	r->congestion[0] = w->last_name[0];
	r->congestion[1] = w->last_name[1];
}

/* emit adds a row for one entry of a chain, unless it is no TCP socket. */
static __always_inline void emit(struct walk *w, const void *entry)
{
	struct sock_common *skc = bpf_rdonly_cast(entry, bpf_core_type_id_kernel(struct sock_common));
	__u32 n = w->rows;
	__u8 family = skc->skc_family, state = skc->skc_state;
	struct sock_row *r;

	/* A closed socket is in no table: it left while it was looked at. */
	if ((family != AF_INET && family != AF_INET6) || !state || state > TCP_NEW_SYN_RECV || state == TCP_CLOSE)
		return;
	if (n >= ROWS) {
		w->full = 1;
		return;
	}
	r = &w->row[n & (ROWS - 1)];
	w->rows = n + 1;
	__builtin_memset(r, 0, sizeof(*r));
	r->family = family;
	r->state = state;
	r->local_port = skc->skc_num;
	r->remote_port = skc->skc_dport;
	if (family == AF_INET) {
		*(__u32 *)r->local = skc->skc_rcv_saddr;
		*(__u32 *)r->remote = skc->skc_daddr;
	} else {
		bpf_core_read(r->local, sizeof(r->local), &skc->skc_v6_rcv_saddr);
		bpf_core_read(r->remote, sizeof(r->remote), &skc->skc_v6_daddr);
	}
	r->netns = netns_of(w, skc->skc_net.net);
	if (state == TCP_TIME_WAIT) {
		struct inet_timewait_sock *tw = bpf_rdonly_cast(entry, bpf_core_type_id_kernel(struct inet_timewait_sock));

		r->state = tw->tw_substate; /* or TCP_FIN_WAIT2 */
	} else if (state == TCP_NEW_SYN_RECV) {
		struct request_sock *request = bpf_rdonly_cast(entry, bpf_core_type_id_kernel(struct request_sock));

		r->state = TCP_SYN_RECV;
		r->retransmits = request->num_retrans;
	} else {
		fill(w, r, bpf_rdonly_cast(entry, bpf_core_type_id_kernel(struct tcp_sock)));
	}
}

static long step(__u64 i, struct cursor *c)
{
	struct walk *w = c->w;
	struct sock_common *skc;
	void *entry;

	if ((w->node & 1) || w->full)
		return 1;
	entry = (void *)(w->node - bpf_core_field_offset(struct sock_common, skc_nulls_node));
	emit(w, entry);
	skc = bpf_rdonly_cast(entry, bpf_core_type_id_kernel(struct sock_common));
	w->node = (__u64)skc->skc_nulls_node.next;
	return 0;
}

/* attempt walks one chain; it ends where it ought to unless a socket moved. */
static long attempt(__u64 i, struct cursor *c)
{
	struct walk *w = c->w;
	__u64 slot = w->mark;

	if (i) {
		w->torn++;
		bpf_probe_read_kernel(&w->node, sizeof(w->node), (void *)(w->table + (slot * w->stride + w->word) * 8));
	}
	w->rows = w->kept;
	bpf_loop(1 << 16, step, c, 0);
	if (w->full || (w->node >> 1 & 0x1fffffff) == slot) {
		w->mark = -1ULL;
		return 1;
	}
	return 0;
}

static long bucket(__u64 i, struct cursor *c)
{
	struct walk *w = c->w;
	__u32 at = w->group * GROUP + i;

	if (at < w->skip)
		return 0;
	w->node = w->words[(at * w->stride + w->word) & (WORDS - 1)];
	if (w->node & 1)
		return 0;
	w->mark = w->first + at;
	w->kept = w->rows;
	bpf_loop(TRIES, attempt, c, 0);
	if (w->full) {
		w->bucket = w->first + at;
		/* One chain longer than all room is cut, or it would come for ever. */
		if (w->kept) {
			w->rows = w->kept;
		} else {
			w->bucket++;
			w->lost++;
		}
		return 1;
	}
	if (w->mark != -1ULL)
		w->lost++;
	return 0;
}

static long group(__u64 i, struct cursor *c)
{
	struct walk *w = c->w;
	__u64 all;

	if (w->stride == 1) {
		__u64 *h = &w->words[(i * GROUP) & (WORDS - GROUP)];

		all = h[0] & h[1] & h[2] & h[3] & h[4] & h[5] & h[6] & h[7];
	} else {
		__u64 *h = &w->words[(i * GROUP * 2) & (WORDS - GROUP * 2)];

		all = h[1] & h[3] & h[5] & h[7] & h[9] & h[11] & h[13] & h[15];
	}
	if (all & 1)
		return 0;
	w->group = i;
	bpf_loop(GROUP, bucket, c, 0);
	return w->full != 0;
}

static long block(__u64 i, struct cursor *c)
{
	struct walk *w = c->w;
	__u32 buckets = WORDS / (w->stride == 1 ? 1 : 2);
	__u32 first = w->bucket & ~(buckets - 1);
	__u32 left = w->buckets - first;

	if (w->bucket >= w->buckets)
		return 1;
	if (left < buckets)
		buckets = left;
	w->first = first;
	w->skip = w->bucket - first;
	/* The mask is for the verifier: it is never more than all words. */
	if (bpf_probe_read_kernel(w->words, (buckets * w->stride * 8) & (WORDS * 16 - 1),
		(void *)(w->table + (__u64)first * w->stride * 8))) {
		w->lost++;
		w->bucket = w->buckets;
		return 1;
	}
	bpf_loop(buckets / GROUP, group, c, 0);
	if (w->full)
		return 1;
	w->bucket = first + buckets;
	return 0;
}

static __always_inline void locate(struct walk *w)
{
	struct task_struct *reader = (struct task_struct *)bpf_get_current_task();
	struct net *net = BPF_CORE_READ(reader, nsproxy, net_ns);

	w->hashinfo = 0;
	/* Kernels that check their locks have other buckets. */
	if (bpf_core_type_size(struct inet_ehash_bucket) == 8 && bpf_core_type_size(struct inet_listen_hashbucket) == 16 &&
	    bpf_core_field_offset(struct inet_listen_hashbucket, nulls_head) == 8)
		w->hashinfo = (__u64)BPF_CORE_READ(net, ipv4.tcp_death_row.hashinfo);
}

SEC("raw_tp/")
int sockets(void *ctx)
{
	__u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&sock_walk, &zero);
	struct cursor c = { .w = w };
	struct inet_hashinfo *info;

	if (!w)
		return 0;
	w->jiffies = bpf_jiffies64();
	w->ktime = bpf_ktime_get_ns();
	w->rows = w->lost = w->torn = w->full = 0;
	w->last_net = w->last_ca = 0;
	if (w->what == LOCATE) {
		locate(w);
		return 0;
	}
	info = (void *)w->hashinfo;
	if (w->what == CONNECTIONS) {
		w->buckets = BPF_CORE_READ(info, ehash_mask) + 1;
		w->table = (__u64)BPF_CORE_READ(info, ehash);
		w->stride = 1;
		w->word = 0;
	} else {
		w->buckets = BPF_CORE_READ(info, lhash2_mask) + 1;
		w->table = (__u64)BPF_CORE_READ(info, lhash2);
		w->stride = 2;
		w->word = 1;
	}
	bpf_loop(w->buckets / GROUP, block, &c, 0);
	return 0;
}
