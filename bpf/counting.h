/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all programs share that may be attached for slices of the time. The reader sets it.
 */
#pragma once

/* Programs count: they are attached before, and detached after that. */
volatile __u32 counting;

/* When the slice began, ns of the monotonic clock. What was noted before is of another one. */
volatile __u64 began;

/* When it ended; 0: it goes on. */
volatile __u64 ended;
