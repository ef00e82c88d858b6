#ifndef TEND_HOME_DAMAGE_H
#define TEND_HOME_DAMAGE_H

#include <stdbool.h>

struct log_damage;
struct log_reader;
struct manifest;
struct report;

/*
 * Reports of damaged logs: as text on standard error for people, in the
 * envelope's `damage` for programs (docs/session.md).  A command that has
 * reported damage exits with status 10, whatever else it answers.
 */

/*
 * Report session.json if it is damaged, or if it belongs to another session
 * that may have been meant; true if so.  Its numbers are then not compared with
 * the log.
 */
bool damage_report_manifest(struct report *to, const struct manifest *m);

/* Tell the reader where the session's log must end. */
void damage_expect(const struct manifest *m, struct log_reader *r);

/*
 * True if damage is worth a report.  The end of a log that is being written may
 * be incomplete, and trims are intended: these do not count.
 */
bool damage_counts(const struct manifest *m, const struct log_damage *d);

/* Report one damage that counts. */
void damage_report(struct report *to, const struct manifest *m,
    const struct log_damage *d);

/* Report all damage that counts and that a reader has found; true if any. */
bool damage_report_all(struct report *to, const struct manifest *m,
    const struct log_reader *r);

/* The log lacks a requested part: report everything that is missing. */
void damage_explain(struct report *to, const struct manifest *m,
    struct log_reader *r);

/*
 * True if files are missing from the log of an ended session, in the directory
 * dirfd.  It reads only the names and headers of the files, so it is cheap
 * enough for a list.
 */
bool damage_check_quickly(const struct manifest *m, int dirfd);

/*
 * Check the log of an ended session and report its damage; true if there is
 * any.  DETAIL also checks where the log ends; DEEP reads every byte.
 */
enum damage_depth { DAMAGE_DETAIL, DAMAGE_DEEP };
bool damage_look(struct report *to, const struct manifest *m, int dirfd,
    enum damage_depth depth);

#endif
