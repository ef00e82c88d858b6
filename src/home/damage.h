#ifndef TEND_HOME_DAMAGE_H
#define TEND_HOME_DAMAGE_H

#include <stdbool.h>

struct log_damage;
struct log_reader;
struct manifest;
struct report;

/*
 * What a log lacks, told to people on standard error and to programs in the
 * envelope's `damage` (docs/session.md).  Whoever has told of damage ends with
 * status 10, whatever else it answers.
 */

/*
 * Tell of session.json, when it is damaged, or that of another session which may
 * have been meant; whether it is.  Its numbers are then not compared with the log.
 */
bool damage_tell_manifest(struct report *to, const struct manifest *m);

/* Tell the reader how far the log of this session must go. */
void damage_expect(const struct manifest *m, struct log_reader *r);

/* The end of a log that is being written may be torn; trims are on purpose. */
bool damage_counts(const struct manifest *m, const struct log_damage *d);

/* Tell of one that counts. */
void damage_tell(struct report *to, const struct manifest *m,
    const struct log_damage *d);

/* Tell of all that count and that a reader has met; whether there were any. */
bool damage_tell_all(struct report *to, const struct manifest *m,
    const struct log_reader *r);

/* The log did not give what was asked for: tell of all that it lacks. */
void damage_explain(struct report *to, const struct manifest *m,
    struct log_reader *r);

/*
 * Whether the log of an ended session, whose directory this is, lacks files, by
 * the names and headers of those there are: cheap enough for a list.
 */
bool damage_glance(const struct manifest *m, int dirfd);

/*
 * Look at the log of an ended session, and tell of what it lacks; whether it
 * does.  DETAIL knows where it ends as well, and DEEP has read every byte.
 */
enum damage_depth { DAMAGE_DETAIL, DAMAGE_DEEP };
bool damage_look(struct report *to, const struct manifest *m, int dirfd,
    enum damage_depth depth);

#endif
