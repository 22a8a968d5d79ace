/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of functions for addresses of the kernel. internal/probe/event asks for
 * those that stacks have.
 */
#pragma once

#define NAMES 64
#define NAME 64

__u64 addresses[NAMES];
char names[NAMES][NAME];

SEC("syscall")
int name(void *ctx)
{
	static const char form[] = "%pB";

	for (int i = 0; i < NAMES; i++) {
		__u64 address = addresses[i];

		if (!address)
			break;
		bpf_snprintf(names[i], NAME, form, &address, sizeof(address));
	}
	return 0;
}
