/* Seeks to a seq, an offset or a time in a log. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "log/payload.h"
#include "log/reader_state.h"

static uint64_t
key(const struct segment_header *h, enum log_by by)
{
	switch (by) {
	case LOG_BY_SEQ:
		return h->first_seq;
	case LOG_BY_OFFSET:
		return h->first_offset;
	case LOG_BY_TIME:
		break;
	}
	return h->first_time_ns;
}

/*
 * The last segment that begins at or before the value, or -1.  Unreadable
 * segments are ignored.
 */
static int
find_segment(const struct log_reader *r, const uint32_t *list, int n,
    enum log_by by, uint64_t value)
{
	int lo = 0, hi = n - 1, found = -1;

	while (lo <= hi) {
		int mid = lo + (hi - lo) / 2, i = mid;
		struct segment_header h;

		while (i >= lo && segment_look(r->dirfd, list[i], &h) < 0)
			i--;
		if (i >= lo && key(&h, by) > value) {
			hi = i - 1;
			continue;
		}
		if (i >= lo)
			found = i;
		lo = mid + 1;
	}
	return found;
}

/* True if the record holds the value or comes after it. */
static bool
reaches(const struct record *rec, enum log_by by, uint64_t value)
{
	uint64_t next;

	switch (by) {
	case LOG_BY_SEQ:
		return rec->seq >= value;
	case LOG_BY_OFFSET:
		return payload_next_offset(rec, &next) && next > value;
	case LOG_BY_TIME:
		break;
	}
	return rec->time_ns >= value;
}

/* True if the missing part may hold the value. */
static bool
may_hold(const struct log_damage *d, enum log_by by, uint64_t value)
{
	return d->seq_to == 0 || by == LOG_BY_TIME ||
	    (by == LOG_BY_SEQ ? d->seq_to : d->offset_to) > value;
}

static void
go_to_value(struct log_reader *r, enum log_by by, uint64_t value)
{
	struct reader_position at = r->place;
	bool missing = false;
	struct record rec;

	for (;;) {
		enum log_next next = reader_step(r, &rec);

		if (next == LOG_DAMAGED) {
			missing = missing || may_hold(&r->damage, by, value);
		} else if (next != LOG_RECORD || reaches(&rec, by, value)) {
			reader_go_back(r, &at);
			return;
		} else {
			missing = false;
		}
		if (!missing)
			at = r->place;
	}
}

int
log_reader_seek(struct log_reader *r, enum log_by by, uint64_t value)
{
	auto_free uint32_t *list = NULL;
	int n = segment_list(r->dirfd, &list), i;

	if (n < 0)
		return n;
	/* The segment before may end with an event of exactly this time. */
	i = find_segment(r, list, n, by,
	    by == LOG_BY_TIME && value > 0 ? value - 1 : value);
	if (i < 0 || reader_start_at(r, list[i]) < 0)
		reader_go_back(r, &(struct reader_position){ 0 });
	else
		go_to_value(r, by, value);
	return 0;
}

/* True if the record comes after everything that the value includes. */
static bool
is_beyond(const struct record *rec, enum log_by by, uint64_t value)
{
	struct payload_keyframe k;
	uint64_t next;

	switch (by) {
	case LOG_BY_SEQ:
		return rec->seq > value;
	case LOG_BY_OFFSET:
		if (payload_keyframe_of(&k, rec))
			return k.offset > value;
		return payload_next_offset(rec, &next) && next > value;
	case LOG_BY_TIME:
		break;
	}
	return rec->time_ns > value;
}

/* Move to the last keyframe of the segment just entered. */
static bool
go_to_keyframe(struct log_reader *r, enum log_by by, uint64_t value, bool full)
{
	struct reader_position found = { 0 };

	for (;;) {
		struct reader_position at = r->place;
		struct record rec;
		enum log_next next = reader_step(r, &rec);

		if (next == LOG_DAMAGED && !r->damage.end &&
		    r->place.number == at.number)
			continue;
		if (next != LOG_RECORD || r->place.number != at.number ||
		    is_beyond(&rec, by, value))
			break;
		if (rec.type == RECORD_KEYFRAME &&
		    (!full || (rec.flags & RECORD_FULL) != 0))
			found = at;
	}
	if (found.number != 0)
		reader_go_back(r, &found);
	return found.number != 0;
}

int
log_reader_seek_keyframe(struct log_reader *r, enum log_by by, uint64_t value,
    bool full)
{
	auto_free uint32_t *list = NULL;
	int n = segment_list(r->dirfd, &list);

	if (n < 0)
		return n;
	for (int i = find_segment(r, list, n, by, value); i >= 0; i--)
		if (reader_start_at(r, list[i]) == 0 &&
		    go_to_keyframe(r, by, value, full))
			return 0;
	return -ENOENT;
}

int
log_reader_segments(struct log_reader *r, uint64_t **first_seq)
{
	auto_free uint32_t *list = NULL;
	int n = segment_list(r->dirfd, &list), found = 0;
	struct segment_header h;

	if (n < 0)
		return n;
	*first_seq = xcalloc((size_t)n + 1, sizeof(**first_seq));
	for (int i = 0; i < n; i++)
		if (segment_look(r->dirfd, list[i], &h) == 0 &&
		    (found == 0 || h.first_seq > (*first_seq)[found - 1]))
			(*first_seq)[found++] = h.first_seq;
	return found;
}

void
log_reader_mark(struct log_reader *r)
{
	r->mark = r->place;
}

void
log_reader_return(struct log_reader *r)
{
	reader_go_back(r, &r->mark);
}
