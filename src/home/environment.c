#include "home/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/version.h"

/*
 * These variables describe the surrounding terminal or multiplexer.  A program
 * that used them would write to it directly, or use its size.
 */
static const char *const dropped[] = {
	"ALACRITTY_LOG",
	"ALACRITTY_SOCKET",
	"ALACRITTY_WINDOW_ID",
	"COLUMNS",
	"INSIDE_EMACS",
	"ITERM_PROFILE",
	"ITERM_SESSION_ID",
	"KITTY_LISTEN_ON",
	"KITTY_PID",
	"KITTY_WINDOW_ID",
	"KONSOLE_DBUS_SERVICE",
	"KONSOLE_DBUS_SESSION",
	"KONSOLE_VERSION",
	"LC_TERMINAL",
	"LC_TERMINAL_VERSION",
	"LINES",
	"SSH_AUTH_SOCK", /* launch.h sets one that outlives this login */
	"STY",
	"TERMCAP",
	"TERM_SESSION_ID",
	"TMUX",
	"TMUX_PANE",
	"VTE_VERSION",
	"WEZTERM_PANE",
	"WEZTERM_UNIX_SOCKET",
	"WINDOW",
	"WINDOWID",
	"WT_PROFILE_ID",
	"WT_SESSION",
	"ZELLIJ",
	"ZELLIJ_PANE_ID",
	"ZELLIJ_SESSION_NAME",
};

static const char *const ours[] = {
	"TERM=xterm-256color",
	"COLORTERM=truecolor",
	"TERM_PROGRAM=tend",
	("TERM_PROGRAM_VERSION=" TEND_VERSION),
};

struct list {
	char **items;
	size_t n;
};

static bool
same_key(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return len == strcspn(b, "=") && memcmp(a, b, len) == 0;
}

/* Set KEY=VALUE, replacing an earlier value of the key. */
static void
put(struct list *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (same_key(l->items[i], text)) {
			free(l->items[i]);
			l->items[i] = xstrdup(text);
			return;
		}
	l->items = xrealloc(l->items, l->n + 2, sizeof(*l->items));
	l->items[l->n++] = xstrdup(text);
	l->items[l->n] = NULL;
}

static bool
is_dropped(const char *text)
{
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		if (same_key(dropped[i], text))
			return true;
	return false;
}

char **
environment_create(char *const *from, const char *const *settings,
    struct error *err)
{
	struct list l = { xcalloc(1, sizeof(char *)), 0 };

	for (; *from != NULL; from++)
		if (!is_dropped(*from))
			put(&l, *from);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		put(&l, ours[i]);
	for (; settings != NULL && *settings != NULL; settings++) {
		const char *text = *settings;

		if (text[0] == '=' || strchr(text, '=') == NULL) {
			error_set(err, EINVAL,
			    "%.100s: give KEY=VALUE, as in LANG=C", text);
			mem_free_list(l.items);
			return NULL;
		}
		put(&l, text);
	}
	return l.items;
}
