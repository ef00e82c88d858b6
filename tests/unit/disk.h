#ifndef TEND_TESTS_DISK_H
#define TEND_TESTS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../rng.h"

/*
 * A disk that loses its power.  While a directory is recorded, every change of
 * it and of its files is noted, as the C library is asked for it; the program
 * is linked with -Wl,--wrap for those calls.  From the notes, any state can be
 * made in which a disk may be found again that had written what was synced,
 * and of the rest whatever it pleased:
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

/* How many changes were noted. */
size_t disk_count(const struct disk *d);
/* Whether the change is one of names, or a sync. */
bool disk_is_turn(const struct disk *d, size_t i);

/* Make in `path`, an empty directory, a state after `count` changes. */
void disk_lose_power(const struct disk *d, size_t count, struct rng *rng,
    const char *path);

/* What is in `path` is all that was noted, or the test fails. */
void disk_has_all(const struct disk *d, const char *path);

#endif
