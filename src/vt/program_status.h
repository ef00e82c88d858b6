#ifndef TEND_VT_PROGRAM_STATUS_H
#define TEND_VT_PROGRAM_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The status that a program reports with OSC 7501, the Program Status
 * Protocol.  Any program can print one, so it informs and proves
 * nothing.
 *
 *	7501 ; state=blocked:app=NAME:kind=permission:msg=BASE64
 *
 * A report replaces the one before it as a whole.  Limits and invalid
 * reports:
 *
 *  - the report is dropped, and the status stays as it was: a sequence of more
 *    than 4,096 bytes, no state or an unknown one, a key of more than 16
 *    bytes, a name or a text that is too long, a text that is no base 64, no
 *    UTF-8 or has a control character;
 *  - a pair that is malformed and a key that is not known are passed over; of
 *    two with the same key the last counts; an unknown kind is none, and only
 *    a program that is blocked has one;
 *  - characters that turn the direction of text or break a line are left out
 *    of the text;
 *  - anything that begins with ? is a question, and no report;
 *  - a report with an id is about a part of the program, and is dropped: one
 *    status is kept.
 */
enum program_state {
	PROGRAM_SILENT, /* it has said nothing, or state=clear */
	PROGRAM_IDLE,
	PROGRAM_WORKING,
	PROGRAM_BLOCKED, /* it waits for a person */
	PROGRAM_DONE,
	PROGRAM_ERROR,
	PROGRAM_STATES
};

enum program_kind {
	PROGRAM_NO_KIND,
	PROGRAM_PERMISSION,
	PROGRAM_QUESTION,
	PROGRAM_AUTH,
	PROGRAM_KINDS
};

#define PROGRAM_APP_MAX 32    /* bytes */
#define PROGRAM_TEXT_MAX 2048 /* bytes of UTF-8 */

/* All zero is silence. */
struct program_status {
	enum program_state state;
	enum program_kind kind;          /* what it is blocked by */
	char app[PROGRAM_APP_MAX + 1];   /* its name, or "" */
	char text[PROGRAM_TEXT_MAX + 1]; /* its own text, or "" */
};

/*
 * Read what follows "7501;".  False when the report is to be dropped; *out is
 * not to be used then.
 */
bool program_status_parse(const char *p, size_t len,
    struct program_status *out);

bool program_status_same(const struct program_status *a,
    const struct program_status *b);

/* "idle", "permission"; NULL for silence and for no kind. */
const char *program_state_name(enum program_state s);
const char *program_kind_name(enum program_kind k);

#endif
