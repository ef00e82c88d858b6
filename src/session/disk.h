#ifndef TEND_SESSION_DISK_H
#define TEND_SESSION_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* The file system that a home lies on. */
struct disk {
	const char *kind; /* "ext4", "nfs" …; "unknown" */
	bool network;     /* other machines may use it at the same time */
	bool read_only;
	uint64_t free, total; /* bytes; free to us, not to root */
};

int disk_look(int fd, struct disk *out);

/* By the number that statfs(2) gives; pure. */
const char *disk_kind(uint64_t magic, bool *network);

/*
 * What somebody who keeps a home there should know, or NULL: sentences without
 * a full stop at the end.
 */
const char *disk_advice(const struct disk *d);

#endif
