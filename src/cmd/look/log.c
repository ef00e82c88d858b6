#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/line/cmd.h"
#include "home/damage.h"
#include "home/log_sink.h"
#include "home/log_tail.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/when.h"
#include "log/reader.h"

#define FLUSH_AT (256u << 10)
#define LOOK_AGAIN_MS 1000 /* when nobody says that the log has grown */

struct args {
	bool follow, text, raw, events;
	const char *from, *to, *lines;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, follow, "follow", 'f',
	    "go on until the session ends"),
	OPT_VALUE(struct args, lines, "lines", 'n', "COUNT",
	    "only the last so many lines"),
	OPT_FLAG(struct args, text, "text", 0,
	    "the lines a terminal would show (the default)"),
	OPT_FLAG(struct args, raw, "raw", 0,
	    "every byte the program wrote, as it was"),
	OPT_FLAG(struct args, events, "events", 0,
	    "everything that happened, an object of JSON a line"),
	OPT_VALUE(struct args, from, "from", 0, "WHEN",
	    "begin there (the start)"),
	OPT_VALUE(struct args, to, "to", 0, "WHEN", "end there (the end)"),
	{ 0 },
};

/* A log on its way out. */
struct walk {
	struct call *call;
	struct log_reader *reader;
	struct log_sink *sink;
	bool follow, has_from, has_to;
	struct log_place from, to;
	uint64_t now_ns; /* from which both count, or 0 */
	uint64_t offset; /* of the next byte of output */
	struct log_damage told[LOG_DAMAGES_MAX];
	size_t n_told;
	bool reached; /* --to */
	bool ended;   /* the exit was read */
	bool done;
	int status;
	struct log_tail *tail; /* NULL: all is written as it comes */
};

/* What is told on standard error, whatever the form. */

static void
tell_gap(const struct walk *w, const struct record *rec)
{
	uint64_t offset, bytes;

	if (rec->len < 17)
		return;
	offset = get_u64le(rec->payload);
	bytes = get_u64le(rec->payload + 8);
	out_note(w->call->out,
	    "%" PRIu64 " bytes of output are missing at offset %" PRIu64 ": %s",
	    bytes, offset,
	    rec->payload[16] == 1 ? "the disk was full or too slow" :
				    "the host died with them");
}

/* Whether it stands among those that were told. */
static bool
was_told(const struct walk *w, const struct log_damage *d)
{
	for (size_t i = 0; i < w->n_told; i++)
		if (w->told[i].seq_from == d->seq_from &&
		    w->told[i].seq_to == d->seq_to &&
		    w->told[i].offset_from == d->offset_from)
			return true;
	return false;
}

static void
tell_lost(struct walk *w, const struct log_damage *d)
{
	const struct manifest *m = &w->call->target->session;

	if (was_told(w, d) || handle_is_gone(w->call->target))
		return;
	if (w->n_told < LOG_DAMAGES_MAX)
		w->told[w->n_told++] = *d;
	if (damage_counts(m, d))
		damage_tell(&w->call->out->report, m, d);
	else
		out_note(w->call->out,
		    "the log ends torn, after event %" PRIu64
		    ", offset %" PRIu64 "; its next host cuts that off",
		    d->seq_from, d->offset_from);
}

static void
tell_damage(struct walk *w)
{
	struct log_damage d;

	log_reader_damage(w->reader, &d);
	if (d.trimmed)
		out_note(w->call->out,
		    "the log begins with event %" PRIu64 ", offset %" PRIu64
		    ": what was before is gone, by --max-log or by hand",
		    d.seq_to, d.offset_to);
	else
		tell_lost(w, &d);
	if (w->sink->ops->damage != NULL)
		w->sink->ops->damage(w->sink, &d);
}

/* What was met on the way to --from or --to, and not between them. */
static void
tell_rest(struct walk *w)
{
	size_t n;
	const struct log_damage *d = log_reader_damages(w->reader, &n);

	for (size_t i = 0; i < n; i++) {
		if (was_told(w, &d[i]))
			continue;
		tell_lost(w, &d[i]);
		if (w->sink->ops->damage != NULL)
			w->sink->ops->damage(w->sink, &d[i]);
	}
}

/* Where a record is, as `place` counts: below 0 before it, above 0 after. */
static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
where(const struct walk *w, const struct record *rec,
    const struct log_place *place)
{
	switch (place->by) {
	case LOG_BY_SEQ:
		return compare(rec->seq, place->value);
	case LOG_BY_TIME:
		return compare(rec->time_ns, place->value);
	case LOG_BY_OFFSET:
		break;
	}
	return compare(w->offset, place->value);
}

/* Output between two offsets may begin and end inside of a record. */
static void
on_output(struct walk *w, const struct record *rec)
{
	const uint8_t *p;
	uint64_t offset;
	size_t len, before = 0;
	bool wanted = true;

	if (!record_output(rec, &offset, &p, &len))
		return;
	w->offset = offset + len;
	if (w->has_to && w->to.by == LOG_BY_OFFSET && w->offset > w->to.value) {
		w->reached = w->done = true;
		if (offset >= w->to.value)
			return;
		len = (size_t)(w->to.value - offset);
	}
	if (w->has_from && w->from.by != LOG_BY_OFFSET)
		wanted = where(w, rec, &w->from) >= 0;
	else if (w->has_from && offset < w->from.value)
		before = w->from.value - offset < len ?
		    (size_t)(w->from.value - offset) :
		    len;
	if (before > 0)
		w->sink->ops->output(w->sink, rec, offset, p, before, false);
	if (len > before)
		w->sink->ops->output(w->sink, rec, offset + before, p + before,
		    len - before, wanted);
}

static void
on_record(struct walk *w, const struct record *rec)
{
	bool wanted = !w->has_from || where(w, rec, &w->from) >= 0;

	if (w->has_to && where(w, rec, &w->to) > 0) {
		w->reached = w->done = true;
		return;
	}
	w->ended |= rec->type == RECORD_EXIT;
	if (rec->type == RECORD_OUTPUT) {
		on_output(w, rec);
		return;
	}
	if (rec->type == RECORD_GAP && rec->len >= 16)
		w->offset = get_u64le(rec->payload) +
		    get_u64le(rec->payload + 8);
	if (rec->type == RECORD_GAP && wanted)
		tell_gap(w, rec);
	if (w->sink->ops->event != NULL)
		w->sink->ops->event(w->sink, rec, wanted);
}

static void
flush(struct walk *w)
{
	if (w->tail != NULL && log_tail_holds(w->tail, &w->call->out->buf))
		return;
	if (w->status == 0)
		w->status = out_flush(w->call->out);
	if (w->status != 0)
		w->done = true;
}

/* Until the log may have grown, or nobody reads us any more. */
static void
wait_for_more(struct walk *w)
{
	struct pollfd p[] = {
		{ .fd = log_reader_watch(w->reader), .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};

	if (p[0].fd < 0)
		p[0].fd = -1;
	if (poll(p, 2, LOOK_AGAIN_MS) > 0 &&
	    (p[1].revents & (POLLERR | POLLHUP)))
		w->done = true;
}

/* All that there is was read: the last lines are known, or too few of them. */
static void
end_tail(struct walk *w)
{
	if (w->tail != NULL && !log_tail_end(w->tail, &w->call->out->buf))
		w->done = true;
}

static void
on_pause(struct walk *w)
{
	if (w->sink->ops->pause != NULL)
		w->sink->ops->pause(w->sink);
	if (w->follow)
		end_tail(w);
	flush(w);
	if (!w->follow)
		w->done = true;
	if (!w->done)
		wait_for_more(w);
}

/* A host that died leaves the log for a moment; its session goes on. */
static void
on_log_end(struct walk *w)
{
	struct handle *t = w->call->target;

	if (w->follow && handle_refresh(t, NULL) == 0 &&
	    status_is_active(t->session.status))
		on_pause(w);
	else
		w->done = true;
}

static void
step(struct walk *w)
{
	struct record rec;

	switch (log_reader_next(w->reader, &rec)) {
	case LOG_RECORD:
		on_record(w, &rec);
		if (w->call->out->buf.len >= FLUSH_AT)
			flush(w);
		break;
	case LOG_WAIT:
		on_pause(w);
		break;
	case LOG_END:
		on_log_end(w);
		break;
	case LOG_DAMAGED:
		tell_damage(w);
		break;
	}
}

static int
go(struct walk *w)
{
	while (!w->done)
		step(w);
	if (w->status == 0)
		tell_rest(w);
	if (w->status == 0 && w->sink->ops->end != NULL)
		w->sink->ops->end(w->sink);
	end_tail(w);
	flush(w);
	if (w->tail != NULL && log_tail_again(w->tail))
		return w->status;
	if (w->status == 0 && w->call->out->report.damage.len > 0)
		return out_fail(w->call->out, FAIL_REPLAY,
		    "part of session %s is damaged; what is left of it was "
		    "shown",
		    handle_name(w->call->target));
	if (w->status == 0 && !w->reached && !w->ended &&
	    handle_is_gone(w->call->target))
		return out_fail(w->call->out, FAIL_REPLAY,
		    "session %s was removed while its log was read; this is "
		    "not all of it",
		    handle_name(w->call->target));
	return w->status;
}

static int
find_place(struct walk *w, const char *text, struct log_place *out,
    struct error *err)
{
	struct when when;
	int result = when_parse(text, &when, err);

	if (result == 0)
		result = when_resolve(&when, w->reader, w->now_ns, out, err);
	return result;
}

/* Nothing is shown from there on; who follows waits for it. */
static void
tell_to_come(const struct walk *w, const char *text)
{
	char words[WHEN_WORDS_MAX];
	struct when when;

	if (!w->follow && when_parse(text, &when, NULL) == 0 &&
	    when_is_to_come(&when, &w->from, w->reader, w->now_ns, words,
		sizeof(words)))
		out_note(w->call->out, "%s", words);
}

/* From --from on, or from the keyframe before it. */
static void
seek(struct walk *w)
{
	uint64_t value = w->has_from ? w->from.value : 0;
	enum log_by by = w->has_from ? w->from.by : LOG_BY_SEQ;

	if (w->has_from && w->sink->ops->needs_screen &&
	    log_reader_seek_keyframe(w->reader, by, value, false) == 0)
		return;
	if (w->sink->ops->needs_screen)
		log_reader_seek(w->reader, LOG_BY_SEQ, 0);
	else
		log_reader_seek(w->reader, by, value);
}

/* The last lines are looked for from so far before the end on. */
static void
seek_tail(struct walk *w)
{
	struct log_extent all;

	if (log_reader_extent(w->reader, &all) < 0)
		return;
	w->from = (struct log_place){ LOG_BY_OFFSET,
		log_tail_begin(w->tail, all.first_offset, all.end_offset) };
	w->has_from = w->from.value > all.first_offset;
}

/* A moment that the log does not know may have been in what is missing. */
static int
fail(struct walk *w, const struct error *err)
{
	const struct handle *t = w->call->target;

	damage_explain(&w->call->out->report, &t->session, w->reader);
	return target_no_moment(w->call, "session", err);
}

static int
walk(struct walk *w, const struct args *a)
{
	struct error err;

	w->now_ns = handle_log_now(w->call->target);
	w->has_from = a->from != NULL;
	w->has_to = a->to != NULL;
	if ((w->has_from && find_place(w, a->from, &w->from, &err) < 0) ||
	    (w->has_to && find_place(w, a->to, &w->to, &err) < 0))
		return fail(w, &err);
	if (w->has_from)
		tell_to_come(w, a->from);
	if (w->tail != NULL)
		seek_tail(w);
	seek(w);
	/* Who pipes us into head wants no complaint. */
	signal(SIGPIPE, SIG_DFL);
	return go(w);
}

static int
check_when(struct call *call, const char *option, const char *text)
{
	struct error err;
	struct when when;

	if (text == NULL || when_parse(text, &when, &err) == 0)
		return 0;
	return out_fail(call->out, FAIL_USAGE, "--%s: %s", option, err.msg);
}

static int
check(struct call *call, const struct args *a)
{
	int status = operands_check(call, 0, 0, "");

	if (status == 0 && a->text + a->raw + a->events > 1)
		status = out_fail(call->out, FAIL_USAGE,
		    "give one of --text, --raw and --events");
	if (status == 0 && a->raw && call->out->json)
		status = out_fail(call->out, FAIL_USAGE,
		    "--raw and --json contradict each other; give one");
	if (status == 0 && a->lines != NULL && a->from != NULL)
		status = out_fail(call->out, FAIL_USAGE,
		    "give one of --lines and --from");
	if (status == 0)
		status = check_when(call, "from", a->from);
	if (status == 0)
		status = check_when(call, "to", a->to);
	return status;
}

static struct log_sink *
create_sink(struct out *out, const struct args *a)
{
	if (a->raw)
		return log_raw_create(&out->buf);
	if (a->events || (out->json && !a->text))
		return log_events_create(&out->buf);
	return log_text_create(&out->buf, a->follow);
}

static int
show(struct walk *w, const struct args *a)
{
	int status;

	w->sink = create_sink(w->call->out, a);
	status = walk(w, a);
	w->sink->ops->destroy(w->sink);
	return status;
}

/* Again from further back, until there are as many lines as are wanted. */
static int
show_tail(struct walk *w, const struct args *a)
{
	struct log_tail tail;
	struct error err;
	int status;

	if (log_tail_init(&tail, a->lines, &err) < 0)
		return out_fail(w->call->out, FAIL_USAGE, "--lines: %s",
		    err.msg);
	w->tail = &tail;
	do {
		w->done = w->reached = w->ended = false;
		buf_clear(&w->call->out->buf);
		status = show(w, a);
	} while (status == 0 && log_tail_again(&tail));
	return status;
}

/* K-16: the files are read, whether it runs or not. */
static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct walk w = { .call = call, .follow = a->follow };
	int status;

	status = check(call, a);
	if (status == 0)
		status = target_open_log(call, &w.reader);
	if (status != 0)
		return status;
	status = a->lines != NULL ? show_tail(&w, a) : show(&w, a);
	log_reader_close(w.reader);
	return status;
}

const struct cmd cmd_log = {
	.name = "log",
	.usage = "[SESSION] [-f] [-n COUNT] [--text|--raw|--events] "
		 "[--from WHEN]\n"
		 "            [--to WHEN]",
	.summary = "show what a session has written, and all that happened",
	.details =
	    "Without SESSION, the one it is typed in, else the newest.\n"
	    "Read from the session's files, whether it runs or has ended; all\n"
	    "that was shown before is there.  What is missing is told on\n"
	    "standard error; a damaged log ends with status 10.  --json is --events.\n"
	    "-n shows the last lines only, and reads no more of the log than\n"
	    "it needs for them.\n"
	    "\n"
	    "WHEN is a seq (120), a byte offset (@4096), a time since the start\n"
	    "(12.5s), how long ago (-5m; of a session that has ended, before its\n"
	    "end), a date (2026-11-15T23:51:55Z; without the Z, local time), the\n"
	    "last time that it was 23:51 or 23:51:55 here, or mark:NAME.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.run = run,
};
