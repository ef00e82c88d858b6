#include "home/damage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fd.h"
#include "base/json_out.h"
#include "home/report.h"
#include "log/reader.h"
#include "session/home.h"
#include "session/manifest.h"

/*
 * The host writes session.json last, so after a normal end it gives the end of
 * the log.  After the host was killed it gives only the part that was safely on
 * disk when the file was written.
 */
void
damage_expect(const struct manifest *m, struct log_reader *r)
{
	bool closed = m->ended_ms != 0 && m->keeper.pid == 0 &&
	    m->host.pid == 0;

	if (status_is_active(m->status) || m->suspect)
		return;
	if (closed)
		log_reader_expect(r, m->seq, m->offset, m->log_newest);
	else
		log_reader_expect(r, m->logged_seq, m->logged_offset,
		    m->log_newest);
}

bool
damage_counts(const struct manifest *m, const struct log_damage *d)
{
	return !d->trimmed && !(d->end && status_is_active(m->status));
}

/* The missing or incomplete events, if any: an event may lose a part. */
static bool
find_events(const struct log_damage *d, uint64_t *from, uint64_t *to)
{
	bool cut = d->offset_to > d->offset_from || d->seq_to == d->seq_from;

	*from = d->seq_from + 1;
	*to = d->seq_to - 1;
	if (d->seq_to <= d->seq_from + 1)
		*from = *to = d->seq_from;
	return d->seq_to > d->seq_from + 1 || cut;
}

static const char *
reason(const struct log_damage *d)
{
	return d->gone ? "missing" : d->torn ? "torn" : "damaged";
}

/* "event 3" or "events 3 to 7", and the range of output, that are missing. */
static void
put_range(const struct log_damage *d, char *out, size_t size)
{
	uint64_t from, to;
	char events[80] = "no event";
	char output[80] = "";

	if (find_events(d, &from, &to) && from == to)
		snprintf(events, sizeof(events), "event %" PRIu64, from);
	else if (find_events(d, &from, &to))
		snprintf(events, sizeof(events),
		    "events %" PRIu64 " to %" PRIu64, from, to);
	if (d->offset_to > d->offset_from)
		snprintf(output, sizeof(output),
		    " and output %" PRIu64 " to %" PRIu64, d->offset_from,
		    d->offset_to);
	snprintf(out, size, "%s%s", events, output);
}

static void
note(struct report *to, const struct manifest *m, const struct log_damage *d)
{
	const char *name = m->name[0] != '\0' ? m->name : m->id;
	char range[200];

	put_range(d, range, sizeof(range));
	if (d->end && d->seq_to == 0)
		report_note(to,
		    "session %s: the log ends torn, after event %" PRIu64
		    ", offset %" PRIu64 ": the bytes after it are not an event",
		    name, d->seq_from, d->offset_from);
	else if (d->end)
		report_note(to,
		    "session %s: the log is damaged after event %" PRIu64
		    ": it ends there; missing: %s%s",
		    name, d->seq_from, range,
		    d->gone ? "; its last file is lost" : "");
	else
		report_note(to,
		    "session %s: the log is damaged after event %" PRIu64
		    ": it continues with event %" PRIu64 "; missing: %s%s",
		    name, d->seq_from, d->seq_to, range,
		    d->gone ? "; one of its files is lost" : "");
}

static void
put(struct buf *b, const struct manifest *m, const struct log_damage *d)
{
	bool known = !d->end || d->seq_to != 0;
	uint64_t from, to;
	bool events = find_events(d, &from, &to) || !known;
	struct json_out j;

	json_out_init(&j, b);
	json_out_open(&j, '{');
	json_put_text(&j, "session", m->id);
	json_put_maybe(&j, "from_seq", events,
	    (int64_t)(known ? from : d->seq_from + 1));
	json_put_maybe(&j, "to_seq", events && known, (int64_t)to);
	json_put_int(&j, "from_offset", (int64_t)d->offset_from);
	json_put_maybe(&j, "to_offset", known, (int64_t)d->offset_to);
	json_put_text(&j, "why", reason(d));
	json_out_close(&j, '}');
}

static void
put_manifest(struct buf *b, const char *id)
{
	struct json_out j;

	if (b->len > 0)
		buf_putc(b, ',');
	json_out_init(&j, b);
	json_out_open(&j, '{');
	json_put_text(&j, "session", id);
	json_put_text(&j, "from_seq", NULL);
	json_put_text(&j, "to_seq", NULL);
	json_put_text(&j, "from_offset", NULL);
	json_put_text(&j, "to_offset", NULL);
	json_put_text(&j, "why", "session.json");
	json_out_close(&j, '}');
}

bool
damage_report_manifest(struct report *to, const struct manifest *m)
{
	if (m->suspect) {
		report_note(to,
		    "session %s: session.json is damaged: its checksum is "
		    "wrong, so its details may be wrong",
		    m->id);
		put_manifest(&to->damage, m->id);
	}
	if (m->shadow[0] != '\0') {
		report_note(to,
		    "session %s is newer and may be the one you mean, but its "
		    "session.json is damaged; this is session %s",
		    m->shadow, m->id);
		put_manifest(&to->damage, m->shadow);
	}
	return m->suspect || m->shadow[0] != '\0';
}

void
damage_report(struct report *to, const struct manifest *m,
    const struct log_damage *d)
{
	note(to, m, d);
	if (to->damage.len > 0)
		buf_putc(&to->damage, ',');
	put(&to->damage, m, d);
}

bool
damage_report_all(struct report *to, const struct manifest *m,
    const struct log_reader *r)
{
	size_t n;
	const struct log_damage *d = log_reader_damages(r, &n);
	bool any = false;

	for (size_t i = 0; i < n; i++)
		if (damage_counts(m, &d[i])) {
			damage_report(to, m, &d[i]);
			any = true;
		}
	return any;
}

void
damage_explain(struct report *to, const struct manifest *m,
    struct log_reader *r)
{
	log_reader_check(r);
	damage_report_all(to, m, r);
}

/* The whole log is missing, unless the session had no events yet. */
static bool
find_all(const struct manifest *m, struct log_damage *out)
{
	*out = (struct log_damage){
		.seq_to = m->seq + 1,
		.offset_to = m->offset,
		.gone = true,
		.end = true,
	};
	return m->seq > 0;
}

/* A reader for an ended session's log, which must exist; or NULL. */
static struct log_reader *
open_log(const struct manifest *m, int dirfd)
{
	auto_close int fd = openat(dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct log_reader *r = NULL;

	if (fd >= 0 && log_reader_open(&r, fd, NULL) == 0)
		damage_expect(m, r);
	return r;
}

/* A destroyed session is about to be removed. */
static bool
is_kept(const struct manifest *m)
{
	return status_is_terminal(m->status) && m->status != STATUS_DESTROYED;
}

bool
damage_check_quickly(const struct manifest *m, int dirfd)
{
	struct log_reader *r;
	struct log_damage all;
	size_t n;

	if (!is_kept(m))
		return false;
	r = open_log(m, dirfd);
	if (r == NULL)
		return find_all(m, &all) && !home_is_leaving(dirfd, m->id);
	log_reader_scan(r, false);
	log_reader_damages(r, &n);
	log_reader_close(r);
	return n > 0 && !home_is_leaving(dirfd, m->id);
}

bool
damage_look(struct report *to, const struct manifest *m, int dirfd,
    enum damage_depth depth)
{
	struct log_reader *r;
	struct log_damage all;
	bool any;

	if (!is_kept(m))
		return false;
	r = open_log(m, dirfd);
	if (r == NULL) {
		any = find_all(m, &all) && !home_is_leaving(dirfd, m->id);
		if (any)
			damage_report(to, m, &all);
		return any;
	}
	if (depth == DAMAGE_DEEP)
		log_reader_check(r);
	else
		log_reader_scan(r, true);
	any = !home_is_leaving(dirfd, m->id) && damage_report_all(to, m, r);
	log_reader_close(r);
	return any;
}
