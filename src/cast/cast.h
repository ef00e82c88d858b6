#ifndef TEND_CAST_CAST_H
#define TEND_CAST_CAST_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/*
 * A reader of asciicast recordings: bytes of the file in, in any pieces, and
 * events out.  All three versions are known:
 *
 *	v1	one JSON document; "stdout" holds [delay, data] pairs
 *	v2	a header line, then lines of [time, code, data]
 *	v3	the same with the delay since the event before; "term" in the
 *		header; lines that begin with # are comments
 *
 * Memory is bounded.  v2 and v3 are read line by line and a line may have
 * CAST_LINE_MAX bytes; a v1 document is held whole and may have CAST_V1_MAX.
 * Larger ones are refused with an error.  Blank lines, unknown members of a
 * header, unknown event codes and more than three elements of an event are
 * passed over; everything else that the format does not allow is an error
 * that begins with the number of its line.
 */
struct cast;

#define CAST_LINE_MAX (16u << 20)
#define CAST_V1_MAX (64u << 20)
#define CAST_SIZE_MAX 65535 /* columns or rows, in a header or a resize */

enum cast_type {
	CAST_HEADER, /* the first event: cols, rows */
	CAST_OUTPUT, /* data */
	CAST_INPUT,  /* data */
	CAST_MARKER, /* data: its label, perhaps empty */
	CAST_RESIZE, /* cols, rows */
	CAST_EXIT,   /* data: the status, as text */
};

struct cast_event {
	enum cast_type type;
	double time;      /* seconds since the start; never less than before */
	const char *data; /* UTF-8, may hold NUL; borrowed for the call */
	size_t len;
	unsigned cols, rows;
};

/*
 * Called for each event.  0: continue.  1: stop, the rest of the file does
 * not matter.  A negative errno, with err set: this event cannot be
 * played, and reading ends with that error.
 */
typedef int cast_fn(void *arg, const struct cast_event *ev, struct error *err);

struct cast *cast_create(cast_fn *fn, void *arg);
void cast_destroy(struct cast *c);

/*
 * Take in a piece of the file.  0 to go on, 1 after the callback had enough, or
 * a negative errno; after anything but 0 the reader must not be fed again.
 */
int cast_feed(struct cast *c, const void *p, size_t len, struct error *err);

/* The file is over.  0, 1 or a negative errno, as above. */
int cast_end(struct cast *c, struct error *err);

/*
 * Guess if a file that begins with these bytes is an asciicast: it begins with
 * a JSON object that has a number as its "version".  CAST_MAYBE: more bytes
 * are needed to tell; when there are none, or CAST_PROBE_MAX have been looked
 * at, it is none.
 */
enum cast_guess { CAST_NO, CAST_YES, CAST_MAYBE };

#define CAST_PROBE_MAX (64u << 10)

enum cast_guess cast_probe(const void *p, size_t len);

#endif
