#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/doctor/checks.h"

/* Checks the terminal and the terminfo that programs in sessions need. */

#define SESSION_TERM "xterm-256color"

/* True if a terminfo directory has it, by first letter or its code. */
static bool
is_in(const char *dir, const char *term)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%c/%s", dir, term[0], term);
	if (access(path, R_OK) == 0)
		return true;
	snprintf(path, sizeof(path), "%s/%x/%s", dir, (unsigned char)term[0],
	    term);
	return access(path, R_OK) == 0;
}

static bool
is_known(const char *term)
{
	const char *own = getenv("TERMINFO"), *home = getenv("HOME");
	char below[PATH_MAX] = "";

	if (home != NULL)
		snprintf(below, sizeof(below), "%s/.terminfo", home);
	if (term[0] == '\0' || strchr(term, '/') != NULL)
		return false;
	return (own != NULL && is_in(own, term)) || is_in(below, term) ||
	    is_in("/etc/terminfo", term) || is_in("/lib/terminfo", term) ||
	    is_in("/usr/share/terminfo", term) ||
	    is_in("/usr/local/share/terminfo", term);
}

void
check_terminfo(struct checkup *c)
{
	const char *term = getenv("TERM");

	if (!is_known(SESSION_TERM))
		checkup_bad(c, CHECKUP_WARNING,
		    "programs in sessions have TERM=" SESSION_TERM
		    ", and many will not start without knowing it",
		    "apt install ncurses-base", "no entry for " SESSION_TERM);
	else if (isatty(STDOUT_FILENO) && (term == NULL || !is_known(term)))
		checkup_bad(c, CHECKUP_WARNING,
		    "tend does not need it, but other programs on this "
		    "terminal may",
		    "apt install ncurses-term", "no entry for TERM=%s",
		    term != NULL ? term : "");
	else
		checkup_ok(c, SESSION_TERM " is known");
}

void
check_locale(struct checkup *c)
{
	const char *set = setlocale(LC_CTYPE, "");
	const char *codeset = nl_langinfo(CODESET);

	if (set != NULL && strcmp(codeset, "UTF-8") == 0)
		checkup_ok(c, "%s", set);
	else
		checkup_bad(c, CHECKUP_WARNING,
		    "without UTF-8, programs in sessions draw lines and many "
		    "letters wrong",
		    "export LANG=C.UTF-8", "%s",
		    set != NULL ? codeset : "the locale is not installed");
}

static bool
has_colours(void)
{
	const char *term = getenv("TERM"), *depth = getenv("COLORTERM");

	return (depth != NULL && *depth != '\0') ||
	    (term != NULL &&
		(strstr(term, "256") != NULL ||
		    strstr(term, "direct") != NULL));
}

void
check_screen(struct checkup *c)
{
	struct winsize ws = { 0 };

	if (!isatty(STDOUT_FILENO)) {
		checkup_ok(c, "not applicable: this is not a terminal");
		return;
	}
	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws);
	if (ws.ws_col == 0 || ws.ws_row == 0)
		checkup_bad(c, CHECKUP_WARNING,
		    "tend has to guess the size of an attached session",
		    "stty cols 80 rows 24", "this terminal reports no size");
	else if (!has_colours())
		checkup_bad(c, CHECKUP_WARNING,
		    "programs in sessions may use colours that this terminal "
		    "lacks",
		    "export COLORTERM=truecolor",
		    "%ux%u, and neither TERM nor COLORTERM announces colours",
		    ws.ws_col, ws.ws_row);
	else
		checkup_ok(c, "%ux%u, with colours", ws.ws_col, ws.ws_row);
}
