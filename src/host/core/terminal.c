#include "host/core/terminal.h"

#include <termios.h>

bool
tty_is_secret(int master)
{
	struct termios t;

	return tcgetattr(master, &t) == 0 && !(t.c_lflag & ECHO) &&
	    (t.c_lflag & ICANON);
}

bool
tty_reads_keys(int master)
{
	struct termios t;

	return tcgetattr(master, &t) == 0 && !(t.c_lflag & ICANON);
}
