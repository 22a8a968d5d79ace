// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP connects of processes: to whom, how long they take and how they end, and how many
 * connections come in at which port. internal/probe/event/connects reads the sums, or
 * each connect.
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

/* Of include/linux/tcp.h. The first sequence number is chosen once the port is the socket's. */
struct tcp_sock {
	__u32 write_seq;
} CORE;

#include "pidns.h"
#include "sliced.h"
#include "steps.h"
#include "ring.h"
#include "endpoint.h"

#define IPPROTO_TCP 6

/* include/net/tcp_states.h */
#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3
#define TCP_CLOSE 7

#define MAX_SUMS 2048
#define MAX_APART 1536 /* of them for sums with an address */
#define PENDING 16384

/* Of include/uapi/linux/bpf.h. */
#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_F_NO_PREALLOC 1

/* Of include/uapi/asm-generic/errno.h: the port that the process has bound is in use to this destination. */
#define EADDRNOTAVAIL 99

/* How a connect ended, unless by 0 or a number of errno. */
#define ABANDONED -1 /* the process closed it before there was an answer */
#define NOT_SENT -2  /* no local port was free */
#define ACCEPTED -3  /* it came from outside */

/* A connect under way. */
struct pending {
	__u64 since;
	__u64 started; /* of the process, ns since boot */
	struct endpoints ends;
	__u32 pid;
	char process[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PENDING);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct pending);
} pending SEC(".maps");

struct key {
	struct endpoints ends; /* without the local end, or of those accepted without the remote one */
	__u32 pid;
	__s32 result;
};

struct sum {
	__u64 connects, ns, longest;
	__u64 started;
	char process[16];
	__u32 steps[STEPS]; /* connects that took less than 1 us, 2 us, 4 us and so on */
};

/* The reader empties one while the programs fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct sum);
} sums SEC(".maps"), sums_too SEC(".maps");

/* A connect that ended, as the reader gets it. */
struct event {
	__u64 at, ns, started;
	struct endpoints ends;
	__u32 pid;
	__s32 result;
	char process[16];
	__u32 unused;
};

volatile __u32 too;   /* sums_too is filled */
volatile __u32 apart; /* sums with an address, since the reader began to empty the others */
volatile __u32 each;  /* events are passed, and nothing is summed up */
__u64 followed;       /* connects under way */

/* Connects that found no room. */
__u64 crowded, crowded_ns;

static __always_inline void begins(struct sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf(), *leader = t->group_leader;
	struct pending p = {};
	__u64 at = (__u64)sk;

	/* The end of one that was at this address may have been missed. */
	if (!bpf_map_delete_elem(&pending, &at))
		__sync_fetch_and_add(&followed, -1);
	if (!counting)
		return;
	p.since = bpf_ktime_get_ns();
	p.pid = process_number(t);
	p.started = BPF_CORE_READ(leader, start_boottime);
	bpf_core_read(p.process, sizeof(p.process), &leader->comm);
	endpoints_of(&p.ends, sk);
	if (bpf_map_update_elem(&pending, &at, &p, BPF_ANY))
		__sync_fetch_and_add(&crowded, 1);
	else
		__sync_fetch_and_add(&followed, 1);
}

static __always_inline struct sum *sum_of(struct key *k, struct pending *p)
{
	void *map = too ? (void *)&sums_too : (void *)&sums;
	struct sum *s = bpf_map_lookup_elem(map, k), fresh = {};

	if (s)
		return s;
	fresh.started = p->started;
	__builtin_memcpy(fresh.process, p->process, sizeof(fresh.process));
	if (apart < MAX_APART) {
		__sync_fetch_and_add(&apart, 1);
	} else {
		__builtin_memset(k->ends.local, 0, sizeof(k->ends.local));
		__builtin_memset(k->ends.remote, 0, sizeof(k->ends.remote));
		k->ends.family = 0;
	}
	bpf_map_update_elem(map, k, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, k);
}

static __attribute__((noinline)) int count(struct key *k, struct pending *p, __u64 ns)
{
	struct sum *s = sum_of(k, p);
	__u32 step;

	if (!s) {
		__sync_fetch_and_add(&crowded, 1);
		__sync_fetch_and_add(&crowded_ns, ns);
		return 0;
	}
	__sync_fetch_and_add(&s->connects, 1);
	if (k->result == ACCEPTED)
		return 0;
	__sync_fetch_and_add(&s->ns, ns);
	if (ns > s->longest)
		s->longest = ns;
	if ((step = step_of(ns / 1000)) < STEPS)
		__sync_fetch_and_add(&s->steps[step], 1);
	return 0;
}

static __always_inline int tell(struct pending *p, struct key *k, struct sock *sk, __u64 now)
{
	struct event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e)
		return lose();
	e->at = now;
	e->ns = now - p->since;
	e->started = p->started;
	e->ends = p->ends;
	/* The local end is chosen after the connect began. */
	endpoints_of(&e->ends, sk);
	__builtin_memcpy(e->ends.remote, p->ends.remote, sizeof(p->ends.remote));
	e->ends.remote_port = p->ends.remote_port;
	e->pid = k->pid;
	e->result = k->result;
	__builtin_memcpy(e->process, p->process, sizeof(p->process));
	e->unused = 0;
	bpf_ringbuf_submit(e, wake());
	return 0;
}

static __always_inline int ends(struct sock *sk, int connected)
{
	__u64 at = (__u64)sk, now = bpf_ktime_get_ns();
	struct pending *p = bpf_map_lookup_elem(&pending, &at);
	struct key k = {};

	/* It began before programs were attached, or in no slice. */
	if (!p)
		return 0;
	if (p->since < sliced)
		goto out;
	k.pid = p->pid;
	if (!connected) {
		k.result = BPF_CORE_READ(sk, sk_err);
		if (!k.result)
			k.result = !BPF_CORE_READ((struct inet_sock *)sk, inet_sport) ? NOT_SENT :
				   BPF_CORE_READ((struct tcp_sock *)sk, write_seq) ? ABANDONED : EADDRNOTAVAIL;
	}
	if (each) {
		tell(p, &k, sk, now);
	} else {
		k.ends = p->ends;
		__builtin_memset(k.ends.local, 0, sizeof(k.ends.local));
		k.ends.local_port = 0;
		k.ends.state = 0;
		count(&k, p, now - p->since);
	}
out:
	if (!bpf_map_delete_elem(&pending, &at))
		__sync_fetch_and_add(&followed, -1);
	return 0;
}

static __always_inline int accepted(struct sock *sk)
{
	struct key k = {.result = ACCEPTED};
	struct pending none = {};

	if (each || !counting)
		return 0;
	endpoints_of(&k.ends, sk);
	__builtin_memset(k.ends.remote, 0, sizeof(k.ends.remote));
	k.ends.remote_port = 0;
	k.ends.state = 0;
	return count(&k, &none, 0);
}

SEC("tp_btf/inet_sock_set_state")
int state_set(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	int before = ctx[1], after = ctx[2];

	if (!counting && !followed)
		return 0;
	if (before != TCP_SYN_SENT && after != TCP_SYN_SENT && before != TCP_SYN_RECV)
		return 0;
	if (BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return 0;
	if (after == TCP_SYN_SENT)
		begins(sk);
	else if (before == TCP_SYN_SENT)
		ends(sk, after != TCP_CLOSE);
	else if (after == TCP_ESTABLISHED)
		accepted(sk);
	return 0;
}

/* Run once by the reader, before anything is attached. */
SEC("syscall")
int begin(void *ctx)
{
	find_namespace();
	return 0;
}
