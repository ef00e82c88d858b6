#include "host/stream/past_output.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "log/payload.h"
#include "log/reader.h"
#include "wire/frame.h"

#define RECORDS_A_TURN 64

struct past_output {
	struct log_reader *reader;
	bool placed;         /* the reader is at `next` */
	uint64_t next;       /* offset of the next record's bytes */
	const uint8_t *data; /* of the present record; NULL: none */
	uint64_t from, to;
	uint8_t why; /* why the bytes before it are missing */
};

struct past_output *
past_output_open(int log_dirfd, struct error *err)
{
	struct past_output *past = xcalloc(1, sizeof(*past));

	if (log_reader_open(&past->reader, log_dirfd, err) < 0) {
		free(past);
		return NULL;
	}
	return past;
}

void
past_output_close(struct past_output *past)
{
	if (past == NULL)
		return;
	log_reader_close(past->reader);
	free(past);
}

uint64_t
past_output_first(struct past_output *past)
{
	struct log_extent extent;

	if (log_reader_extent(past->reader, &extent) < 0)
		return 0;
	return extent.first_offset;
}

/*
 * An output record sets the present bytes; a gap says that they are missing.
 */
static void
take_record(struct past_output *past, const struct record *r)
{
	struct payload_output out;
	struct payload_gap gap;

	past->data = NULL;
	if (payload_output_of(&out, r)) {
		past->data = out.bytes.p;
		past->from = out.offset;
		past->to = out.offset + out.bytes.len;
		past->next = past->to;
	} else if (payload_gap_of(&gap, r)) {
		past->next = gap.offset + gap.bytes;
		past->why = FRAME_GAP_UNLOGGED;
	}
}

static void
take_damage(struct past_output *past)
{
	struct log_damage damage;

	past->data = NULL;
	log_reader_damage(past->reader, &damage);
	past->why = damage.trimmed ? FRAME_GAP_TRIMMED : FRAME_GAP_DAMAGED;
}

/* Read until there are bytes, or the end of a gap is known. */
static enum past_output_step
read_on(struct past_output *past, uint64_t offset)
{
	enum past_output_step step = PAST_OUTPUT_AGAIN;
	struct record r;

	for (int i = 0; i < RECORDS_A_TURN && step == PAST_OUTPUT_AGAIN; i++) {
		switch (log_reader_next(past->reader, &r)) {
		case LOG_RECORD:
			take_record(past, &r);
			if (past->next > offset)
				return PAST_OUTPUT_BYTES;
			break;
		case LOG_DAMAGED:
			take_damage(past);
			break;
		case LOG_WAIT:
		case LOG_END:
			step = PAST_OUTPUT_WAIT;
			break;
		}
	}
	/* The next call continues here. */
	past->data = NULL;
	past->next = offset;
	return step;
}

static bool
go_to(struct past_output *past, uint64_t offset)
{
	past->data = NULL;
	past->next = offset;
	past->why = FRAME_GAP_TRIMMED;
	past->placed = log_reader_seek(past->reader, LOG_BY_OFFSET, offset) ==
	    0;
	return past->placed;
}

static enum past_output_step
tell_gap(struct past_output *past, uint64_t from, uint64_t to,
    struct frame_gap *gap)
{
	*gap = (struct frame_gap){ from, to, past->why };
	past->why = FRAME_GAP_DAMAGED;
	return PAST_OUTPUT_GAP;
}

enum past_output_step
past_output_read(struct past_output *past, uint64_t offset, const uint8_t **p,
    size_t *len, struct frame_gap *gap)
{
	enum past_output_step step;

	if (past->data == NULL || offset < past->from || offset >= past->to) {
		if ((!past->placed || past->next != offset) &&
		    !go_to(past, offset))
			return PAST_OUTPUT_WAIT;
		step = read_on(past, offset);
		if (step != PAST_OUTPUT_BYTES)
			return step;
	}
	if (past->data == NULL)
		return tell_gap(past, offset, past->next, gap);
	if (past->from > offset)
		return tell_gap(past, offset, past->from, gap);
	*p = past->data + (offset - past->from);
	*len = past->to - offset;
	return PAST_OUTPUT_BYTES;
}
