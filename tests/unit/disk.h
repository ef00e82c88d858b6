#ifndef TEND_TESTS_DISK_H
#define TEND_TESTS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../rng.h"

/*
 * A disk that loses its power.  While a directory is recorded, every change of
 * it and of its files is noted when the program calls the C library; the
 * program is linked with -Wl,--wrap for those calls.  From the notes, this
 * makes any state in which the disk may be found afterwards.  It has
 * everything that was synced, and any part of the rest:
 *
 *	blocks	each as it was synced, as it was after any later write, or
 *		zero where nothing was synced
 *	sizes	as synced, or after any later change
 *	names	those synced, and any of the later changes
 */
struct disk;

struct disk *disk_create(const char *path);
void disk_destroy(struct disk *d);

/* One at a time. */
void disk_record(struct disk *d);
void disk_rest(struct disk *d);

/* The number of changes noted. */
size_t disk_count(const struct disk *d);
/* True if the change is one of names, or a sync. */
bool disk_is_turn(const struct disk *d, size_t i);

/* Make a state after `count` changes in `path`, an empty directory. */
void disk_lose_power(const struct disk *d, size_t count, struct rng *rng,
    const char *path);

/* Fail unless the notes explain everything in `path`. */
void disk_has_all(const struct disk *d, const char *path);

#endif
