/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps of a histogram by powers of two. internal/probe/event reads them.
 */
#pragma once

#define STEPS 26

/*
 * step_of is how many bits a number of microseconds has, STEPS - 1 at most. It has
 * no branches: the verifier would follow each way through them, which takes seconds.
 */
static __always_inline __u32 step_of(__u64 us)
{
	us |= us >> 1;
	us |= us >> 2;
	us |= us >> 4;
	us |= us >> 8;
	us |= us >> 16;
	us |= us >> 32;
	us -= us >> 1 & 0x5555555555555555ULL;
	us = (us & 0x3333333333333333ULL) + (us >> 2 & 0x3333333333333333ULL);
	us = (us + (us >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	us = us * 0x0101010101010101ULL >> 56;
	return us < STEPS ? us : STEPS - 1;
}
