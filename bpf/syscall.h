/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a system call passes, where each architecture keeps it. Include it after
 * struct task_struct, which needs the member thread_info.
 */
#pragma once

struct pt_regs___x86 {
	unsigned long orig_ax, di, si, dx, r10;
} CORE;

struct pt_regs___arm64 {
	__u64 regs[31], orig_x0;
	__s32 syscallno;
} CORE;

/* Bits of the thread of a 32-bit call, whose numbers are others. */
#define TS_COMPAT 2
#define TIF_32BIT 22
#define X32 0x40000000

static __always_inline int on_x86(void)
{
	return bpf_core_field_exists(struct pt_regs___x86, orig_ax);
}

/* call_number is the number of the call that regs belong to; -1: none, or of another table. */
static __always_inline int call_number(void *regs)
{
	if (on_x86())
		return ((struct pt_regs___x86 *)regs)->orig_ax;
	return ((struct pt_regs___arm64 *)regs)->syscallno;
}

/* first_argument is that of a call that begins. */
static __always_inline __u64 first_argument(void *regs)
{
	if (on_x86())
		return ((struct pt_regs___x86 *)regs)->di;
	return ((struct pt_regs___arm64 *)regs)->regs[0];
}

/* argument is one of the first four, 0 to 3, also of a call that ends. */
static __always_inline __u64 argument(void *regs, int n)
{
	struct pt_regs___x86 *x = regs;
	struct pt_regs___arm64 *a = regs;

	if (on_x86())
		return n == 0 ? x->di : n == 1 ? x->si : n == 2 ? x->dx : x->r10;
	return n == 0 ? a->orig_x0 : a->regs[n];
}

/* other_table says that a thread makes a 32-bit call. */
static __always_inline int other_table(struct task_struct *t)
{
	if (on_x86())
		return t->thread_info.status & TS_COMPAT;
	return t->thread_info.flags >> TIF_32BIT & 1;
}
