#include "cmd/guide.h"

#include "cmd/attach/attaching.h"
#include "cmd/line/out.h"
#include "session/find.h"
#include "session/home.h"

static const char first[] =
    "tend runs programs in terminal sessions.  A session keeps running when\n"
    "you leave, and you can attach to it again from any terminal.\n"
    "\n"
    "  tend run -n work -- bash     start a session named work and attach;\n"
    "                               or claude, codex, vim: any program\n";

static const char rest[] =
    "  tend ls                      list running sessions\n"
    "  tend attach work             attach again, from any terminal\n"
    "  tend mark work good          name this moment\n"
    "  tend snapshot work --at mark:good    show the screen at that moment,\n"
    "                               or --at -5m: five minutes ago\n"
    "  tend stop work               stop it; 'tend log work' still works\n"
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
	put_key(out, KEYS_DETACH, "detach; the session keeps running");
	put_key(out, KEYS_HELP, "show all keys");
	buf_puts(&out->buf, rest);
	if (home_open(&seen.home, home_option, false, NULL) == 0) {
		(void)home_each(&seen.home, count, &seen, NULL);
		home_close(&seen.home);
	}
	if (seen.n > 0)
		buf_printf(&out->buf, "%u %s; 'tend ls' lists %s.\n", seen.n,
		    seen.n == 1 ? "session is running" : "sessions are running",
		    seen.n == 1 ? "it" : "them");
	buf_puts(&out->buf,
	    "'tend help' lists the commands, 'tend COMMAND -h' explains one,\n"
	    "'tend doctor' checks the installation.\n");
	return out_send_help(out);
}
