/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs need to know of slices that follow something from its begin to its end,
 * beyond counting.h. The reader sets it.
 */
#pragma once

#include "counting.h"

/*
 * Since when programs count in slices, ns of the monotonic clock; 0: all of the time. What
 * began before that and goes on is of no slice.
 */
volatile __u64 sliced;
