#ifndef TEND_HUB_AUDIT_H
#define TEND_HUB_AUDIT_H

struct audit;
struct audit_entry;
struct hub;
struct identity;

/*
 * The audit of the hub (B-43): who did what with which session, when, for how
 * long, in which mode, from where, and if it was allowed.  docs/policy.md
 * describes it; `audit.list` shows it.
 *
 *	a use	one entry from its beginning to its end: a subscription of a
 *		stream, server-sent events, an operation that changes
 *		something.  It is on disk when it begins, so a crash of the hub
 *		loses only its end; the next hub closes it as interrupted.
 *	reads	of one credential and one session are one entry, as long as
 *		the next read comes within AUDIT_READS_MS: polling for hours
 *		is one row.  At most AUDIT_READS such periods are open; then
 *		the one that was idle for longest ends.
 *	denials	at most AUDIT_DENIALS in a minute for one credential or
 *		address, and AUDIT_DENIALS_ALL in all; the log counts others.
 *
 * If the database cannot take an entry, the use goes on, and the log says so.
 */
#define AUDIT_READS_MS 60000
#define AUDIT_READS 1024
#define AUDIT_DENIALS 10
#define AUDIT_DENIALS_ALL 100

struct audit *audit_create(struct hub *hub); /* after store_open */
void audit_destroy(struct audit *a); /* ends what is open; NULL is fine */

/* One use; the texts are copied, and NULL is the same as "". */
struct audit_use {
	const struct identity *who;
	const char *from; /* the client's address */
	const char *what; /* an operation, "observe" for live output, … */
	const char *session, *name; /* id and name */
	const char *mode; /* "observe" or "drive", or another permission */
};

enum audit_outcome {
	AUDIT_ALLOWED,
	AUDIT_DOWNGRADED, /* asked for drive, and got observe (B-39) */
	AUDIT_DENIED,
	AUDIT_FAILED,      /* it was allowed, but did not work */
	AUDIT_REVOKED,     /* it was allowed first, and ended by a change */
	AUDIT_INTERRUPTED, /* the hub ended before it */
	AUDIT_OUTCOMES
};

/* A use begins; the caller ends it once with audit_end. */
struct audit_entry *audit_begin(struct audit *a, const struct audit_use *u,
    enum audit_outcome outcome);

/* A use goes on in another mode, after a change of the policy. */
void audit_change(struct audit_entry *e, const char *mode,
    enum audit_outcome outcome);

/* The session of a use is known now; NULL is fine. */
void audit_about(struct audit_entry *e, const char *session, const char *name);

/*
 * A use ends.  AUDIT_ALLOWED keeps the outcome that it has.  NULL is fine.
 */
void audit_end(struct audit_entry *e, enum audit_outcome outcome);

/* A use that is over in a moment. */
void audit_note(struct audit *a, const struct audit_use *u,
    enum audit_outcome outcome);

/* One read among others; u->what and u->mode are not used. */
void audit_read(struct audit *a, const struct audit_use *u);

/* A use that was denied; u->who may be NULL: the client is unknown. */
void audit_denied(struct audit *a, const struct audit_use *u);

#endif
