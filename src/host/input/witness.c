#include "host/input/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/failpoint.h"
#include "base/fd.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define TAB_WIDTH 8 /* a tab may be echoed as this many blanks */
#define COUNTS_MAX 4

/*
 * When the last program closes the terminal, unread input is discarded.  Then
 * a count of 0 proves nothing.
 */
static bool
is_hung_up(int master)
{
	struct pollfd pfd = { .fd = master };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLHUP);
}

/*
 * Linux moves written bytes to the line discipline from a work queue, and
 * counts them there.  poll(2) waits for that queue only if there is no input
 * to read.  So 0 is trusted if poll found nothing either.  Only a lone end of
 * file is input of no bytes.
 */
static int
count_unread(int peer, int *n)
{
	for (int i = 0; i < COUNTS_MAX; i++) {
		struct pollfd pfd = { .fd = peer, .events = POLLIN };

		if (poll(&pfd, 1, 0) < 0 || ioctl(peer, FIONREAD, n) < 0)
			return -errno;
		if (*n > 0 || !(pfd.revents & POLLIN))
			break;
	}
	return 0;
}

/*
 * While the peer is open, the master does not see that the last program has
 * closed the terminal.  So it is closed at once, before that check.
 */
int64_t
tty_unread(int master)
{
	int peer = ioctl(master, TIOCGPTPEER,
	    O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int n = 0, rc = failpoint_error("tty-unread");

	if (peer < 0)
		return -errno;
	if (rc == 0)
		rc = count_unread(peer, &n);
	fd_close(&peer);
	if (rc == 0 && is_hung_up(master))
		rc = -ESRCH;
	return rc < 0 ? rc : n;
}

/* The most bytes that the driver echoes for this one. */
static unsigned
echo_of(uint8_t c)
{
	if (c == '\t')
		return TAB_WIDTH;
	return c < 0x20 || c == 0x7f ? 2 : 1;
}

/* True if the driver takes this byte as the end of a line. */
static bool
ends_line(const struct termios *t, uint8_t c)
{
	if (c == '\r')
		return (t->c_iflag & ICRNL) && !(t->c_iflag & IGNCR);
	return c == '\n' && !(t->c_iflag & INLCR);
}

void
witness_begin(struct witness *w, int master, uint64_t head)
{
	*w = (struct witness){
		.master = master,
		.from = head,
		.unread = -EAGAIN,
		.unread_at = head,
	};
}

void
witness_type(struct witness *w, const void *p, size_t len)
{
	const uint8_t *bytes = p;
	struct termios t;
	bool known = tcgetattr(w->master, &t) == 0;

	for (size_t i = 0; i < len; i++)
		w->echo += echo_of(bytes[i]);
	w->endless = !known ||
	    ((t.c_lflag & ICANON) &&
		(len == 0 || !ends_line(&t, bytes[len - 1])));
	w->echoes |= !known || (t.c_lflag & (ECHO | ECHONL));
}

/* The program may have changed the terminal before it read them. */
void
witness_typed(struct witness *w, uint64_t replies)
{
	struct termios t;

	w->replies = w->replied = w->met = w->counted = replies;
	w->echoes |= tcgetattr(w->master, &t) < 0 ||
	    (t.c_lflag & (ECHO | ECHONL));
}

/*
 * Find out which answers the kernel has counted, and which are too new for
 * that.
 */
static void
meet_replies(struct witness *w, uint64_t replies, int64_t now_ms)
{
	w->replies = replies;
	if (w->met == w->counted || now_ms - w->met_ms >= WITNESS_ARRIVES_MS) {
		w->counted = w->met;
		w->met = replies;
		w->met_ms = now_ms;
	}
}

/* A canonical terminal does not count answers: they do not end a line. */
static bool
counts_replies(const struct witness *w)
{
	struct termios t;

	return tcgetattr(w->master, &t) == 0 && !(t.c_lflag & ICANON);
}

/*
 * Typed bytes are read before the answers that came later.  While a typed byte
 * is unread, all counted answers are unread too, so the count is larger than
 * those.  If the count is larger than all answers, typed bytes are certainly
 * unread.
 */
static int64_t
without_replies(struct witness *w, int64_t unread)
{
	int64_t later = (int64_t)(w->replies - w->replied);
	int64_t counted = (int64_t)(w->counted - w->replied);

	if (unread <= 0 || later == 0 || !counts_replies(w))
		return unread;
	if (unread > later)
		return unread - later;
	w->doubtful = unread > counted;
	return w->doubtful ? unread - counted : 0;
}

void
witness_look(struct witness *w, uint64_t head, uint64_t replies, int64_t now_ms)
{
	meet_replies(w, replies, now_ms);
	w->doubtful = false;
	w->unread = w->endless ? -EAGAIN :
				 without_replies(w, tty_unread(w->master));
	if (w->unread > 0 && !w->doubtful)
		w->unread_at = head;
}

bool
witness_is_known(const struct witness *w)
{
	return w->unread >= 0;
}

bool
witness_has_read(const struct witness *w)
{
	return w->unread == 0;
}

bool
witness_has_answered(const struct witness *w, uint64_t shown)
{
	uint64_t echo = w->echo + 2 * (w->replies - w->replied);

	if (!w->echoes)
		echo = 0;
	return shown > w->unread_at && shown - w->from > echo;
}
