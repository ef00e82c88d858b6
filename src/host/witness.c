#include "host/witness.h"

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

#define TAB_WIDTH 8 /* a tab may be echoed as so many blanks */

/*
 * With the last program its terminal is hung up, and what was unread is thrown
 * away: then nothing unread means nothing.
 */
static bool
is_hung_up(int master)
{
	struct pollfd pfd = { .fd = master };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLHUP);
}

/*
 * The peer is closed before anybody could miss its end.  poll(2) comes first:
 * it waits until what was written has reached the line discipline, where it is
 * counted.
 */
int64_t
tty_unread(int master)
{
	int peer = ioctl(master, TIOCGPTPEER,
	    O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct pollfd pfd = { .fd = peer, .events = POLLIN };
	int n = 0, rc = failpoint_error("tty-unread");

	if (peer < 0)
		return -errno;
	if (poll(&pfd, 1, 0) < 0 || ioctl(peer, FIONREAD, &n) < 0)
		rc = -errno;
	fd_close(&peer);
	if (rc == 0 && is_hung_up(master))
		rc = -ESRCH;
	return rc < 0 ? rc : n;
}

/* The most bytes that the driver makes of one that it echoes. */
static unsigned
echo_of(uint8_t c)
{
	if (c == '\t')
		return TAB_WIDTH;
	return c < 0x20 || c == 0x7f ? 2 : 1;
}

/* Whether the driver takes this byte for the end of a line. */
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

/* The program may have changed the terminal before it took them. */
void
witness_typed(struct witness *w, uint64_t replies)
{
	struct termios t;

	w->replies = w->replied = replies;
	w->echoes |= tcgetattr(w->master, &t) < 0 ||
	    (t.c_lflag & (ECHO | ECHONL));
}

/*
 * What was typed is read before the answers that came later.  A canonical
 * terminal does not count those: they end no line.
 */
static int64_t
without_replies(const struct witness *w, int64_t unread)
{
	int64_t later = (int64_t)(w->replies - w->replied);
	struct termios t;

	if (later == 0 || unread <= 0 || tcgetattr(w->master, &t) < 0 ||
	    (t.c_lflag & ICANON))
		return unread;
	return unread > later ? unread - later : 0;
}

void
witness_look(struct witness *w, uint64_t head, uint64_t replies)
{
	w->replies = replies;
	w->unread = w->endless ? -EAGAIN :
				 without_replies(w, tty_unread(w->master));
	if (w->unread > 0)
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
