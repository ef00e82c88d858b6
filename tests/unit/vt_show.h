#ifndef TEND_TESTS_VT_SHOW_H
#define TEND_TESTS_VT_SHOW_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "vt/input_modes.h"
#include "vt/key.h"

/* Bytes, keys and modes as a failing test prints them; cut when too long. */
struct shown {
	char s[1024];
};

static inline struct shown
show_bytes(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	struct shown out = { "" };
	size_t n = 0;

	for (size_t i = 0; i < len && n + 8 < sizeof(out.s); i++)
		if (p[i] == 0x1b)
			n += (size_t)snprintf(out.s + n, sizeof(out.s) - n,
			    "\\e");
		else if (p[i] < 0x20 || p[i] > 0x7e)
			n += (size_t)snprintf(out.s + n, sizeof(out.s) - n,
			    "\\x%02x", p[i]);
		else
			out.s[n++] = (char)p[i];
	return out;
}

static inline struct shown
show_key(const struct key *k)
{
	static const char *const events[] = { "press", "repeat", "release" };
	struct shown out = { "" };
	char name[KEY_NAME_MAX] = "nothing";

	(void)key_name(k, name, sizeof(name));
	snprintf(out.s, sizeof(out.s),
	    "%s (code %u shifted %u base %u mods %02x %s text \"%s\")", name,
	    k->code, k->shifted, k->base, k->mods, events[k->event], k->text);
	return out;
}

static inline struct shown
show_modes(const struct input_modes *m)
{
	struct shown out = { "" };

	snprintf(out.s, sizeof(out.s),
	    "cursor %d keypad %d bs %d newline %d other %d format %d "
	    "kitty %d mouse %d format %d",
	    m->app_cursor, m->app_keypad, m->backarrow_bs, m->newline,
	    m->modify_other_keys, m->format_other_keys, m->kitty_flags,
	    (int)m->mouse, (int)m->mouse_format);
	return out;
}

#endif
