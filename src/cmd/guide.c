#include "cmd/guide.h"

#include "cmd/attach/attaching.h"
#include "cmd/line/out.h"
#include "session/find.h"
#include "session/home.h"

static const char first[] =
    "tend runs programs as terminal sessions that go on when you leave, and\n"
    "that you can come back to from any terminal.\n"
    "\n"
    "  tend run -n work -- bash     start one, called work, and attach to it;\n"
    "                               claude, codex, vim: any program will do\n";

static const char rest[] =
    "  tend ls                      what runs, and the last line of each\n"
    "  tend attach work             come back, here or on another terminal\n"
    "  tend mark work good          give this moment a name\n"
    "  tend snapshot work --at mark:good    rewind: the screen as it was then,\n"
    "                               or --at -5m: five minutes ago\n"
    "  tend stop work               end it; its log stays: 'tend log work'\n"
    "\n";

struct seen {
	struct home home;
	unsigned n; /* active sessions */
};

static int
count(void *arg, const char *id)
{
	struct seen *seen = arg;

	seen->n += find_is_active(&seen->home, id);
	return 0;
}

static void
put_key(struct out *out, enum keys_command command, const char *does)
{
	char pressed[ATTACHING_PRESSED_MAX];

	attaching_pressed(command, pressed);
	buf_printf(&out->buf, "    %-26s %s\n", pressed, does);
}

int
guide(struct out *out, const char *home_option)
{
	struct seen seen = { .n = 0 };

	out->json = false;
	buf_puts(&out->buf, first);
	put_key(out, KEYS_DETACH, "leave it: it goes on without you");
	put_key(out, KEYS_HELP, "the other keys");
	buf_puts(&out->buf, rest);
	if (home_open(&seen.home, home_option, false, NULL) == 0) {
		(void)home_each(&seen.home, count, &seen, NULL);
		home_close(&seen.home);
	}
	if (seen.n > 0)
		buf_printf(&out->buf, "%u %s now; 'tend ls' shows %s.\n",
		    seen.n, seen.n == 1 ? "session runs" : "sessions run",
		    seen.n == 1 ? "it" : "them");
	buf_puts(&out->buf,
	    "'tend help' lists the commands, 'tend COMMAND -h' explains one,\n"
	    "'tend doctor' looks whether all is well.\n");
	return out_send_help(out);
}
