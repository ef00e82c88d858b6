#include "host/pump.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/agent/agent_watch.h"
#include "host/ask/exec.h"
#include "host/ask/message.h"
#include "host/ask/waits.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/life/ending.h"
#include "host/life/handover.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/store/event_log.h"
#include "host/stream/engine.h"
#include "host/stream/last_line.h"
#include "host/stream/recent_output.h"
#include "host/stream/wall_clock.h"
#include "log/record.h"
#include "vt/slice.h"
#include "vt/vt.h"

#define KEYFRAME_EVERY (512u << 10)
#define SYNC_MS 1000 /* limit for a synchronized update */

/*
 * In a flood, bytes are taken in large parts or every few milliseconds, not as
 * they come: each turn costs more than its bytes, and takes a processor from
 * the program and the keeper.
 */
#define FLOOD_WINDOW_NS 10000000
#define FLOOD_BYTES (128u << 10) /* within the previous window */
#define FLOOD_PART TAKE_MAX
#define FLOOD_MS 4

/*
 * The most in one turn while viewers keep up: they then get their output, and
 * may ask for a pause.  More would not fit into the memory for recent output.
 */
#define TAKE_MAX (RECENT_OUTPUT_MAX / 4 * 3)

/* The time for the keeper to read new output of the terminal. */
#define KEEPER_NS 20000

struct pump {
	struct session *session;
	struct pump_parts with;
	struct output_flow *output_flow;
	struct watch *output, *settle;
	struct watch *unsync; /* timer: an update of the screen does not end */
	bool syncing;         /* that timer runs */
	uint64_t kept_back;   /* the head when bytes were held back; 0: none */

	bool flood;
	bool more;             /* there is more than this turn took */
	int64_t window_ns;     /* start of the present window */
	uint64_t window_shown; /* `shown` at that time */
};

/* The number of bytes at `shown` that are treated alike. */
static size_t
piece_len(const struct pump *p, size_t len)
{
	const uint64_t borders[] = {
		p->output_flow->skip_from,
		p->output_flow->skip_to,
		p->session->display.replies_from,
	};
	uint64_t shown = p->session->display.shown;

	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
		if (borders[i] > shown && borders[i] - shown < len)
			len = borders[i] - shown;
	return len;
}

static bool
is_skipped(const struct pump *p)
{
	return p->session->display.vt == NULL ||
	    (p->session->display.shown >= p->output_flow->skip_from &&
		p->session->display.shown < p->output_flow->skip_to);
}

/*
 * Show bytes up to the end of a frame in slices, because a wait looks at each.
 */
static size_t
show_slices(struct pump *p, const uint8_t *bytes, size_t len)
{
	struct vt *vt = p->session->display.vt;
	size_t done = 0;
	bool ends = false;

	while (done < len && !ends) {
		bool syncing = vt_in_sync(vt);
		size_t n = slice_len(vt, bytes + done, len - done);

		done += vt_feed_frame(vt, bytes + done, n);
		waits_slice(p->with.waits);
		ends = (syncing && !vt_in_sync(vt)) ||
		    input_is_full(p->with.input);
	}
	return done;
}

/*
 * Show bytes to the engine.  Its answers are published together with its
 * position, so that after a crash in here the next host answers every query
 * once.  The log gets the bytes afterwards: it never has a query that no host
 * would look at again.
 */
static size_t
show(struct pump *p, const uint8_t *bytes, size_t len)
{
	struct session *session = p->session;
	struct ring_shared *shared = session->terminal.ring.shared;
	size_t n;

	waits_catch_up(p->with.waits);
	atomic_store(&shared->engine_at, session->display.shown);
	engine_answers(session,
	    session->display.shown >= session->display.replies_from);
#ifdef TEND_FAILPOINTS
	if (memmem(bytes, len, "TEND-POISON", 11) != NULL)
		failpoint("engine-poison");
#endif
	n = waits_want_slices(p->with.waits) ?
	    show_slices(p, bytes, len) :
	    vt_feed_frame(session->display.vt, bytes, len);
	atomic_store(&shared->engine_at, RING_IDLE);
	failpoint("pump-fed");
	input_replied(p->with.input, session->display.shown + n);
	return n;
}

static bool
at_frame(const struct pump *p)
{
	return p->session->display.vt == NULL ||
	    !vt_in_sync(p->session->display.vt);
}

/* The engine has missed output: reset it here. */
static void
end_skip(struct pump *p)
{
	p->output_flow->skip_from = p->output_flow->skip_to = 0;
	engine_reset(p->session);
	event_keyframe(p->session, true);
	output_flow_keyframe_done(p->output_flow);
}

static void
show_frame(struct pump *p)
{
	messages_shown(p->with.messages);
	execs_frame(p->with.execs);
}

/* Returns how much was shown; 0 if the bytes must wait for more. */
static size_t
take_piece(struct pump *p, size_t len)
{
	struct session *session = p->session;
	uint8_t *bytes = ring_at(&session->terminal.ring,
	    session->display.shown);
	uint64_t offset = session->display.shown, seq;
	bool frame, hidden;

	len = execs_look(p->with.execs, bytes, piece_len(p, len), &hidden);
	if (len == 0)
		return 0;
	if (!is_skipped(p))
		len = show(p, bytes, len);
	frame = at_frame(p);
	session->display.shown += len;
	p->output_flow->since_keyframe += len;
	seq = event_log_output(session->event_log,
	    (frame ? RECORD_FRAME : 0) | (hidden ? RECORD_HIDDEN : 0), offset,
	    len);
	changes_note(&session->display.changes, session->display.vt,
	    event_log_seq(session->event_log));
	server_output(p->with.server, offset, len);
	execs_shown(p->with.execs, bytes, len, hidden, seq);
	if (frame)
		show_frame(p);
	if (!hidden) /* Hidden bytes show nothing. */
		waits_output(p->with.waits, seq, frame);
	if (p->output_flow->skip_to != 0 &&
	    session->display.shown == p->output_flow->skip_to)
		end_skip(p);
	return len;
}

/*
 * True if nothing may be taken: another host takes over, the program does not
 * read its answers (its end drops them), or a viewer asks for a pause.  A
 * viewer cannot delay the end of a program: the keeper reports it after all
 * output has found room.
 */
static bool
is_paused(const struct pump *p)
{
	return p->output_flow->resting || input_is_full(p->with.input) ||
	    (p->output_flow->held &&
		p->session->manifest.status == STATUS_RUNNING &&
		!p->session->exited);
}

/* True if bytes are held back, up to this head, and still for a reason. */
static bool
is_kept_back(const struct pump *p)
{
	return p->kept_back != 0 && execs_hold(p->with.execs);
}

static void
take(struct pump *p)
{
	struct session *session = p->session;
	uint64_t head = atomic_load(&session->terminal.ring.shared->head);

	p->more = head - session->display.shown > TAKE_MAX &&
	    server_is_followed(p->with.server);
	if (p->more)
		head = session->display.shown + TAKE_MAX;
	if (is_paused(p) || session->display.shown == head ||
	    (p->kept_back == head && is_kept_back(p)))
		return;
	failpoint("pump-take");
	/* First, so that waits for idle see the output. */
	session_touch(session);
	p->kept_back = 0;
	while (
	    session->display.shown < head && p->kept_back == 0 && !is_paused(p))
		if (take_piece(p, head - session->display.shown) == 0)
			p->kept_back = head;
	failpoint("pump-taken");
	wall_clock_activity(p->with.wall_clock);
	last_line_output(p->with.last_line);
	agent_watch_output(p->with.agent_watch);
	if (p->output_flow->since_keyframe >= KEYFRAME_EVERY) {
		event_keyframe(session, false);
		output_flow_keyframe_done(p->output_flow);
	}
}

/* An update without an end shows nothing for at most a second. */
static void
watch_update(struct pump *p)
{
	bool syncing = !at_frame(p);

	if (syncing != p->syncing)
		watch_rearm(p->unsync, syncing ? SYNC_MS : -1);
	p->syncing = syncing;
}

static void
on_unsync(void *arg)
{
	struct pump *p = arg;

	p->syncing = false;
	if (p->session->display.vt == NULL)
		return;
	waits_catch_up(p->with.waits);
	vt_end_sync(p->session->display.vt);
	changes_note(&p->session->display.changes, p->session->display.vt,
	    event_log_seq(p->session->event_log));
	show_frame(p);
}

/* Detect a flood of output, which is better taken in larger parts. */
static void
watch_flood(struct pump *p)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - p->window_ns < FLOOD_WINDOW_NS)
		return;
	p->flood = p->session->display.shown - p->window_shown >= FLOOD_BYTES &&
	    now - p->window_ns < 2 * FLOOD_WINDOW_NS;
	p->window_ns = now;
	p->window_shown = p->session->display.shown;
}

/* Before the loop waits: if bytes have come meanwhile, it must not wait. */
static void
go_to_sleep(struct pump *p)
{
	uint64_t seen = is_kept_back(p) ? p->kept_back :
					  p->session->display.shown;
	bool waits = p->flood && !p->more;
	uint64_t until = seen + (waits ? FLOOD_PART : 1);

	if (is_paused(p))
		return;
	if (!ring_host_sleeps(&p->session->terminal.ring, until))
		output_flow_again(p->output_flow, 0);
	else if (waits)
		output_flow_again(p->output_flow, FLOOD_MS);
}

/*
 * The keeper woke up together with us; to sleep until it is done takes longer.
 */
static void
await_echo(struct pump *p)
{
	const _Atomic uint64_t *head = &p->session->terminal.ring.shared->head;
	int64_t until = clock_ns(CLOCK_MONOTONIC) + KEEPER_NS;

	p->output_flow->echo = false;
	while (*head == p->session->display.shown &&
	    clock_ns(CLOCK_MONOTONIC) < until)
		continue;
}

static void
on_settle(void *arg)
{
	struct pump *p = arg;
	struct session *session = p->session;

	if (p->output_flow->echo)
		await_echo(p);
	take(p);
	watch_update(p);
	watch_flood(p);
	status_watch_settle(p->with.status_watch);
	ending_settle(p->with.ending);
	handover_settle(p->with.handover);
	waits_settle(p->with.waits);
	server_flush(p->with.server);
	event_log_flush(session->event_log);
	waits_catch_up(p->with.waits);
	go_to_sleep(p);
}

static void
on_output(void *arg, enum loop_events ready)
{
	struct pump *p = arg;
	uint64_t count;
	ssize_t n = read(p->session->terminal.output_fd, &count, sizeof(count));

	(void)ready;
	(void)n;
	ring_host_wakes(&p->session->terminal.ring);
}

struct pump *
pump_create(struct session *session, const struct pump_parts *with)
{
	struct pump *p = xcalloc(1, sizeof(*p));

	p->session = session;
	p->with = *with;
	p->output_flow = &session->output_flow;
	p->output = loop_fd(session->loop, session->terminal.output_fd,
	    LOOP_READ, on_output, p);
	p->settle = loop_settle(session->loop, on_settle, p);
	p->unsync = loop_timer(session->loop, -1, on_unsync, p);
	output_flow_again(p->output_flow, 0);
	return p;
}

void
pump_destroy(struct pump *p)
{
	if (p == NULL)
		return;
	watch_remove(p->output);
	watch_remove(p->settle);
	watch_remove(p->unsync);
	free(p);
}
