#include "home/dates.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "log/payload.h"
#include "log/reader.h"

#define STEADY_NS 1000000000 /* smaller differences are ignored */

/* The wall-clock time at an event of the log. */
struct shown {
	uint64_t seq, time_ns, wall;
};

struct search {
	struct log_reader *r;
	uint64_t *first; /* seq of each segment */
	uint64_t wall;   /* the time to find */
	uint64_t time_ns;
	bool exact; /* the clock showed this time, at time_ns */
};

static bool
next_clock(struct log_reader *r, uint64_t limit, struct shown *out)
{
	struct payload_clock clock;
	struct record rec;

	while (log_reader_next_there(r, &rec) && rec.seq < limit) {
		if (!payload_clock_of(&clock, &rec))
			continue;
		*out = (struct shown){ rec.seq, rec.time_ns, clock.wall_ns };
		return true;
	}
	return false;
}

/* The first wall-clock record of a segment, which is its second event. */
static bool
first_clock(struct search *s, int i, struct shown *out)
{
	return log_reader_seek(s->r, LOG_BY_SEQ, s->first[i]) == 0 &&
	    next_clock(s->r, UINT64_MAX, out);
}

/* Search between one wall-clock record and the next, at end_ns. */
static void
look_until(struct search *s, const struct shown *c, uint64_t end_ns)
{
	if (c->wall > s->wall)
		return;
	if (s->wall - c->wall < end_ns - c->time_ns) {
		s->exact = true;
		s->time_ns = c->time_ns + (s->wall - c->wall);
	} else if (!s->exact) {
		s->time_ns = end_ns;
	}
}

/* Search all wall-clock records; *c is then the last one. */
static void
scan(struct search *s, struct shown *c, uint64_t limit)
{
	struct shown next;

	log_reader_seek(s->r, LOG_BY_SEQ, c->seq + 1);
	while (next_clock(s->r, limit, &next)) {
		look_until(s, c, next.time_ns);
		*c = next;
	}
}

static bool
is_steady(const struct shown *a, const struct shown *b)
{
	int64_t apart = (int64_t)(b->wall - a->wall) -
	    (int64_t)(b->time_ns - a->time_ns);

	return apart > -STEADY_NS && apart < STEADY_NS;
}

/* Search between the beginnings of two segments. */
static void
look_between(struct search *s, int lo, struct shown from, int hi,
    struct shown to)
{
	int mid = lo + (hi - lo) / 2;
	struct shown at;

	if (is_steady(&from, &to) &&
	    (s->wall < from.wall || s->wall >= to.wall)) {
		look_until(s, &from, to.time_ns);
	} else if (mid == lo || !first_clock(s, mid, &at)) {
		scan(s, &from, to.seq);
		look_until(s, &from, to.time_ns);
	} else {
		look_between(s, lo, from, mid, at);
		look_between(s, mid, at, hi, to);
	}
}

/* Search from the last segment with a wall-clock record to the log's end. */
static void
look_at_end(struct search *s, struct shown c)
{
	struct log_extent extent = { .last_time_ns = c.time_ns };

	scan(s, &c, UINT64_MAX);
	log_reader_extent(s->r, &extent);
	if (extent.last_time_ns < c.time_ns)
		extent.last_time_ns = c.time_ns;
	look_until(s, &c, extent.last_time_ns + 1);
	if (!s->exact && c.wall <= s->wall) /* the time is in the future */
		s->time_ns = c.time_ns + (s->wall - c.wall);
}

int
dates_find(struct log_reader *r, uint64_t wall, uint64_t *time_ns)
{
	struct search s = { .r = r, .wall = wall };
	struct shown begin, end;
	auto_free uint64_t *first = NULL;
	int last = log_reader_segments(r, &first) - 1;

	if (last < -1)
		return last + 1;
	s.first = first;
	if (last < 0 || !first_clock(&s, 0, &begin))
		return -ENOENT;
	while (!first_clock(&s, last, &end))
		last--;
	if (last > 0)
		look_between(&s, 0, begin, last, end);
	look_at_end(&s, end);
	*time_ns = s.time_ns;
	return 0;
}
