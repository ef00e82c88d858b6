#ifndef TEND_SESSION_DISK_H
#define TEND_SESSION_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* The file system that holds a home. */
struct disk {
	const char *kind; /* "ext4", "nfs" …; "unknown" */
	bool network;     /* other machines may use it as well */
	bool read_only;
	uint64_t free, total; /* bytes; free: to us, not to root */
};

int disk_look(int fd, struct disk *out);

/* The name of the number that statfs(2) gives.  Pure. */
const char *disk_kind(uint64_t magic, bool *network);

/*
 * Advice for a home on this disk, or NULL: sentences without a full stop at
 * the end.
 */
const char *disk_advice(const struct disk *d);

#endif
