#include "host/input/interrupt.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

bool
interrupt_is_in(int master, const uint8_t *p, size_t len)
{
	static const uint8_t keys[] = { VINTR, VQUIT, VSUSP };
	struct termios t;

	if (tcgetattr(master, &t) < 0 || !(t.c_lflag & ISIG) ||
	    (t.c_lflag & NOFLSH))
		return false;
	for (size_t i = 0; i < sizeof(keys); i++)
		if (t.c_cc[keys[i]] != _POSIX_VDISABLE &&
		    memchr(p, t.c_cc[keys[i]], len) != NULL)
			return true;
	return false;
}

/*
 * Unread input is in two places: in transit, which the master's side flushes,
 * and in the line discipline, which the program's side flushes.
 */
bool
interrupt_make_room(int master)
{
	int peer = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	bool done = peer >= 0 && tcflush(master, TCOFLUSH) == 0 &&
	    tcflush(peer, TCIFLUSH) == 0;

	if (peer >= 0)
		close(peer);
	return done;
}
