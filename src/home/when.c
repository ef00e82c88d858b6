#include "home/when.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/mem.h"
#include "home/dates.h"
#include "home/units.h"
#include "log/payload.h"

#define NS 1000000000

static int
two_digits(const char *p)
{
	if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
		return -1;
	return (p[0] - '0') * 10 + p[1] - '0';
}

/* Parse the digits after a point as nanoseconds and move *p past them. */
static int64_t
take_fraction(const char **p)
{
	int64_t ns = 0, place = NS / 10;

	if (**p != '.')
		return 0;
	for ((*p)++; **p >= '0' && **p <= '9'; (*p)++) {
		ns += place * (**p - '0');
		place /= 10;
	}
	return ns;
}

/* Parse "Z", "+02:00" or "-0130" as seconds east of Greenwich. */
static bool
take_zone(const char *p, int *seconds)
{
	int hours, minutes;

	if (strcmp(p, "Z") == 0 || strcmp(p, "z") == 0) {
		*seconds = 0;
		return true;
	}
	if ((*p != '+' && *p != '-') || strlen(p) != 6 || p[3] != ':')
		return false;
	hours = two_digits(p + 1);
	minutes = two_digits(p + 4);
	if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
		return false;
	*seconds = (hours * 60 + minutes) * 60 * (*p == '-' ? -1 : 1);
	return true;
}

/* Parse "2026-11-15" and move *p past it. */
static bool
take_day(const char **p, struct tm *tm)
{
	static const char shape[] = "dddd-dd-dd";
	const char *s = *p;

	for (int i = 0; shape[i] != '\0'; i++)
		if (shape[i] == 'd' ? s[i] < '0' || s[i] > '9' :
				      s[i] != shape[i])
			return false;
	tm->tm_year = two_digits(s) * 100 + two_digits(s + 2) - 1900;
	tm->tm_mon = two_digits(s + 5) - 1;
	tm->tm_mday = two_digits(s + 8);
	*p += sizeof(shape) - 1;
	return tm->tm_year >= 70 && tm->tm_mon >= 0 && tm->tm_mon < 12 &&
	    tm->tm_mday > 0 && tm->tm_mday <= 31;
}

/* Parse "23:51", or "23:51:55" with a fraction, and move *p past it. */
static bool
take_clock(const char **p, struct tm *tm, int64_t *part)
{
	const char *s = *p;

	*part = tm->tm_sec = 0;
	if ((tm->tm_hour = two_digits(s)) < 0 || s[2] != ':' ||
	    (tm->tm_min = two_digits(s + 3)) < 0)
		return false;
	s += 5;
	if (*s == ':') {
		if ((tm->tm_sec = two_digits(s + 1)) < 0)
			return false;
		s += 3;
		*part = take_fraction(&s);
	}
	*p = s;
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* Times after the year 2261 do not fit in 64 bits of nanoseconds. */
static bool
to_ns(time_t t, int64_t part, uint64_t *ns)
{
	if (t < 0 || t > INT64_MAX / NS - 1)
		return false;
	*ns = (uint64_t)t * NS + (uint64_t)part;
	return true;
}

/* A time without a zone is local time. */
static bool
parse_wall(const char *s, uint64_t *ns)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t part;
	int zone;

	if (!take_day(&s, &tm) || (*s != 'T' && *s != 't' && *s != ' '))
		return false;
	s++;
	if (!take_clock(&s, &tm, &part))
		return false;
	if (*s == '\0')
		return to_ns(mktime(&tm), part, ns);
	return take_zone(s, &zone) && to_ns(timegm(&tm) - zone, part, ns);
}

/* The last time that the local clock showed this: today or yesterday. */
static bool
parse_clock(const char *s, uint64_t *ns)
{
	time_t now = time(NULL), t;
	struct tm tm;
	int64_t part;

	if (localtime_r(&now, &tm) == NULL || !take_clock(&s, &tm, &part) ||
	    *s != '\0')
		return false;
	tm.tm_isdst = -1;
	t = mktime(&tm);
	if (t > now) {
		tm.tm_mday--;
		tm.tm_isdst = -1;
		t = mktime(&tm);
	}
	return to_ns(t, part, ns);
}

int
when_parse(const char *s, struct when *out, struct error *err)
{
	struct when w = { .kind = WHEN_SEQ, .text = s };

	if (strncmp(s, "mark:", 5) == 0 && s[5] != '\0') {
		w.kind = WHEN_MARK;
		w.mark = s + 5;
	} else if (s[0] == '@' && units_number(s + 1, UINT64_MAX, &w.value)) {
		w.kind = WHEN_OFFSET;
	} else if (s[0] == '-' &&
	    units_duration_with_unit(s + 1, &w.value, NULL) == 0) {
		w.kind = WHEN_AGO;
	} else if (units_duration_with_unit(s, &w.value, NULL) == 0) {
		w.kind = WHEN_SINCE_START;
	} else if (parse_wall(s, &w.value) || parse_clock(s, &w.value)) {
		w.kind = WHEN_WALL;
	} else if (!units_number(s, UINT64_MAX, &w.value)) {
		return error_set(err, EINVAL,
		    "%.40s is not a moment: give a seq (120), a byte offset "
		    "(@4096), a time since the start (12.5s), a time ago "
		    "(-5m), a date (2026-11-15T23:51:55Z; without the Z, local "
		    "time), a local time (23:51) or mark:NAME",
		    s);
	}
	*out = w;
	return 0;
}

static bool
is_mark(const struct record *rec, const char *name)
{
	struct payload_mark mark;

	return payload_mark_of(&mark, rec) && payload_text_is(&mark.name, name);
}

/* The last mark of this name in a segment that ends before seq `end`. */
static bool
find_mark(const char *name, struct log_reader *r, uint64_t begin, uint64_t end,
    struct log_place *out)
{
	struct record rec;
	bool found = false;

	log_reader_seek(r, LOG_BY_SEQ, begin);
	while (log_reader_next_there(r, &rec) && rec.seq < end)
		if (is_mark(&rec, name)) {
			*out = (struct log_place){ LOG_BY_SEQ, rec.seq };
			found = true;
		}
	return found;
}

/* Search from the newest segment back, since the last mark counts. */
static int
resolve_mark(const char *name, struct log_reader *r, struct log_place *out,
    struct error *err)
{
	auto_free uint64_t *first = NULL;
	uint64_t end = UINT64_MAX;

	for (int i = log_reader_segments(r, &first) - 1; i >= 0; i--) {
		if (find_mark(name, r, first[i], end, out))
			return 0;
		end = first[i];
	}
	return error_set(err, ENOKEY, "the log has no mark named %.100s", name);
}

static int
resolve_wall(uint64_t wall, struct log_reader *r, struct log_place *out,
    struct error *err)
{
	uint64_t time_ns;
	int rc = dates_find(r, wall, &time_ns);

	if (rc == -ENOENT)
		return error_set(err, ENOENT,
		    "the log has no wall-clock times to find a date");
	if (rc < 0)
		return error_set(err, -rc, "cannot read the log: %s",
		    strerror(-rc));
	*out = (struct log_place){ LOG_BY_TIME, time_ns };
	return 0;
}

/*
 * The time at which a session ended: that of its exit or, if none was logged,
 * of the last event.  Later records, such as a new label, do not count.  The
 * exit comes after all output.
 */
static uint64_t
end_time(struct log_reader *r, const struct log_extent *extent)
{
	uint64_t end = extent->last_time_ns;
	uint64_t offset = extent->end_offset;
	struct record rec;
	int rc = offset > 0 ? log_reader_seek(r, LOG_BY_OFFSET, offset - 1) :
			      log_reader_seek(r, LOG_BY_SEQ, 0);

	if (rc < 0)
		return end;
	while (log_reader_next_there(r, &rec))
		if (rec.type == RECORD_EXIT)
			end = rec.time_ns;
	return end;
}

/*
 * The log's clock cannot be set and continues while the machine sleeps.  An
 * event with a later time than now came from another time namespace; then it is
 * the latest known moment.
 */
static int
resolve_ago(uint64_t ns, struct log_reader *r, uint64_t now_ns,
    struct log_place *out, struct error *err)
{
	struct log_extent extent;
	int result = log_reader_extent(r, &extent);
	uint64_t from = now_ns;

	if (result < 0)
		return error_set(err, -result,
		    "cannot find the end of the log: %s", strerror(-result));
	if (now_ns == 0)
		from = end_time(r, &extent);
	else if (extent.last_time_ns > now_ns)
		from = extent.last_time_ns;
	*out = (struct log_place){ LOG_BY_TIME, from > ns ? from - ns : 0 };
	return 0;
}

int
when_resolve(const struct when *w, struct log_reader *r, uint64_t now_ns,
    struct log_place *out, struct error *err)
{
	switch (w->kind) {
	case WHEN_SEQ:
		*out = (struct log_place){ LOG_BY_SEQ, w->value };
		return 0;
	case WHEN_OFFSET:
		*out = (struct log_place){ LOG_BY_OFFSET, w->value };
		return 0;
	case WHEN_SINCE_START:
		*out = (struct log_place){ LOG_BY_TIME, w->value };
		return 0;
	case WHEN_AGO:
		return resolve_ago(w->value, r, now_ns, out, err);
	case WHEN_WALL:
		return resolve_wall(w->value, r, out, err);
	case WHEN_MARK:
		return resolve_mark(w->mark, r, out, err);
	}
	return error_set(err, EINVAL, "no such kind of moment");
}

/* Describe a time after the log's end, or after a stopped clock. */
static void
put_later(const struct when *w, bool runs, char *out, size_t size)
{
	const char *verb = runs ? "is in the future" :
				  "is after the end of the session";

	if (w->kind == WHEN_SINCE_START)
		snprintf(out, size,
		    "%.40s after the start %s; did you mean -%.40s?", w->text,
		    verb, w->text);
	else
		snprintf(out, size, "%.40s %s", w->text, verb);
}

bool
when_is_to_come(const struct when *w, const struct log_place *place,
    struct log_reader *r, uint64_t now_ns, char *out, size_t size)
{
	struct log_extent e;

	if (log_reader_extent(r, &e) < 0)
		return false;
	switch (place->by) {
	case LOG_BY_SEQ: /* the next event is in the future */
		snprintf(out, size, "the log ends at event %" PRIu64,
		    e.last_seq);
		return place->value > e.last_seq &&
		    place->value - e.last_seq > 1;
	case LOG_BY_OFFSET:
		snprintf(out, size, "the log ends at offset @%" PRIu64,
		    e.end_offset);
		return place->value > e.end_offset;
	case LOG_BY_TIME:
		put_later(w, now_ns > 0 || e.being_written, out, size);
		return place->value > now_ns && place->value > e.last_time_ns;
	}
	return false;
}
