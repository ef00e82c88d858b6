#include "host/stream/notices.h"

#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "session/manifest.h"
#include "vt/vt.h"

/* Copy as many whole characters as fit. */
static void
copy_clean(char *out, size_t size, const char *s)
{
	struct utf8 u = { 0 };
	size_t len = 0;

	for (; s != NULL && *s != '\0'; s++) {
		char text[4];
		uint32_t cp;
		size_t n;

		if (utf8_step(&u, (uint8_t)*s, &cp) != UTF8_DONE ||
		    utf8_acts(cp))
			continue;
		n = utf8_encode(text, cp);
		if (len + n >= size)
			break;
		memcpy(out + len, text, n);
		len += n;
	}
	out[len] = '\0';
}

bool
notices_title(struct manifest *m, const char *title)
{
	char new[sizeof(m->title)];

	copy_clean(new, sizeof(new), title);
	if (strcmp(new, m->title) == 0)
		return false;
	memcpy(m->title, new, sizeof(new));
	return true;
}

static bool
take_bell(struct notices *n)
{
	n->bells++;
	n->bell_ms = clock_ms(CLOCK_REALTIME);
	return true;
}

static bool
take_notice(struct notices *n, const struct vt_event *ev)
{
	n->count++;
	n->ms = clock_ms(CLOCK_REALTIME);
	copy_clean(n->title, sizeof(n->title), ev->title);
	copy_clean(n->text, sizeof(n->text), ev->text);
	return true;
}

bool
notices_event(struct manifest *m, const struct vt_event *ev)
{
	switch (ev->type) {
	case VT_EVENT_TITLE:
		return notices_title(m, ev->text);
	case VT_EVENT_BELL:
		return take_bell(&m->notices);
	case VT_EVENT_NOTIFY:
		return take_notice(&m->notices, ev);
	default:
		return false;
	}
}
