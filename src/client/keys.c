#include "client/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wire/frame.h"

/* An ESC with nothing after it for so long is the Escape key. */
#define ESCAPE_MS 30
/* Wait longer for the rest of a sequence: a slow line splits them. */
#define SEQUENCE_MS 500

static const struct {
	const char *keys, *does;
} commands[KEYS_UNKNOWN] = {
#define COMMAND(id, name, keys, does) { keys, does },
#include "client/keys.def"
#undef COMMAND
};

static uint64_t
take_id(struct keys *k)
{
	if (!k->ask)
		return 0;
	k->ask = false;
	return ++k->next_id;
}

static void
put_input(struct keys *k, enum input_kind kind, const void *p, size_t len)
{
	struct frame_input in = { .id = take_id(k),
		.kind = (uint8_t)kind,
		.p = p,
		.len = len };

	if (!k->muted)
		(void)frame_put_input(k->out, &in);
}

/*
 * Plain text from one read is sent in one piece, so that a paste without
 * brackets does not fill the host's queue with single keys.
 */
static void
end_text(struct keys *k)
{
	if (k->text.len > 0)
		put_input(k, INPUT_TEXT, k->text.data, k->text.len);
	buf_clear(&k->text);
}

static bool
gather(struct keys *k, const struct key *key)
{
	char text[KEY_TEXT_MAX];

	if (!k->burst || key->event != KEY_PRESS ||
	    (key->mods & KEY_MOD_COMMAND))
		return false;
	if (key->code == KEY_ENTER && key->mods == 0)
		memcpy(text, "\r", 2);
	else if (!key_is_char(key->code) || key_text(key, text) == 0)
		return false;
	if (k->text.len + sizeof(text) > k->text.max)
		end_text(k);
	buf_puts(&k->text, text);
	return true;
}

static bool
is_modifier(uint32_t code)
{
	return code >= KEY_LEFT_SHIFT && code <= KEY_ISO_LEVEL5_SHIFT;
}

static void
type_key(struct keys *k, const struct key *key)
{
	k->typed |= key->event != KEY_RELEASE && !is_modifier(key->code);
	if (gather(k, key))
		return;
	end_text(k);
	if (!k->muted)
		(void)frame_put_key(k->out, take_id(k), key);
}

static void
on_command(struct keys *k, const struct key *key)
{
	unsigned command = 0;

	if (key_same(key, &k->prefix)) {
		type_key(k, key);
		return;
	}
	k->eaten = key->code;
	while (command < KEYS_UNKNOWN &&
	    !keys_match(key, keys_of(&k->bound, command)))
		command++;
	end_text(k);
	if (command == KEYS_UNKNOWN && key->code == KEY_ESCAPE)
		return; /* the user cancelled */
	k->ops->command(k->arg, (enum keys_command)command);
}

/* True if the key belongs to a command, not to the program. */
static bool
is_ours(struct keys *k, const struct key *key)
{
	if (key->event == KEY_RELEASE && key->code == k->eaten) {
		k->eaten = KEY_NONE;
		return true;
	}
	if (k->prefixed) {
		if (key->event != KEY_PRESS || is_modifier(key->code))
			return true;
		k->prefixed = false;
		on_command(k, key);
		return true;
	}
	if (key->event != KEY_PRESS || !key_same(key, &k->prefix))
		return false;
	k->prefixed = true;
	k->eaten = key->code;
	return true;
}

static void
on_key(void *arg, const struct key *key)
{
	struct keys *k = arg;

	if (is_ours(k, key))
		return;
	if (!k->grabbed)
		type_key(k, key);
	else if (key->event != KEY_RELEASE)
		k->ops->key(k->arg, key);
}

/* Convert to the session's coordinates; ignore positions outside of it. */
static void
on_mouse(void *arg, const struct mouse_event *seen)
{
	struct keys *k = arg;
	struct mouse_event ev = *seen;

	if (k->decoder.mouse_format != MOUSE_SGR_PIXELS) {
		ev.row += k->top;
		ev.col += k->left;
	}
	if (k->grabbed) {
		k->ops->mouse(k->arg, &ev);
		return;
	}
	if (k->decoder.mouse_format != MOUSE_SGR_PIXELS) {
		if (ev.row >= k->rows || ev.col >= k->cols)
			return;
	}
	end_text(k);
	if (!k->muted)
		(void)frame_put_mouse(k->out, take_id(k), &ev);
}

/* The length that can be sent without splitting a character. */
static size_t
whole_characters(const struct buf *b)
{
	size_t n = b->len;

	while (n > 0 && b->len - n < 4 && (b->data[n - 1] & 0xc0) == 0x80)
		n--;
	if (n > 0 && b->data[n - 1] >= 0xc0)
		n--;
	return b->len - n < 4 ? n : b->len;
}

static void
send_paste(struct keys *k, size_t len)
{
	k->ask = k->typed = true;
	put_input(k, INPUT_PASTE, k->paste.data, len);
	buf_consume(&k->paste, len);
}

static void
on_paste(void *arg, enum key_paste what, const uint8_t *p, size_t len)
{
	struct keys *k = arg;

	if (k->grabbed)
		return;
	end_text(k);
	while (len > 0) {
		size_t n = KEYS_PASTE_MAX - k->paste.len;

		n = len < n ? len : n;
		buf_append(&k->paste, p, n);
		p += n;
		len -= n;
		if (k->paste.len == KEYS_PASTE_MAX)
			send_paste(k, whole_characters(&k->paste));
	}
	if (what == KEY_PASTE_END && k->paste.len > 0)
		send_paste(k, k->paste.len);
}

static void
on_focus(void *arg, bool in)
{
	struct keys *k = arg;
	uint8_t byte = in;

	if (k->grabbed)
		return;
	end_text(k);
	put_input(k, INPUT_FOCUS, &byte, 1);
}

static void
on_reply(void *arg, const struct key_reply *r)
{
	struct keys *k = arg;

	k->ops->reply(k->arg, r);
}

/* Another terminal's key, or Latin-1: the program may know it. */
static void
on_unknown(void *arg, const uint8_t *p, size_t len)
{
	struct keys *k = arg;

	if (k->grabbed)
		return;
	end_text(k);
	put_input(k, INPUT_BYTES, p, len);
}

static const struct key_decoder_ops decoder_ops = {
	.key = on_key,
	.mouse = on_mouse,
	.paste = on_paste,
	.focus = on_focus,
	.reply = on_reply,
	.unknown = on_unknown,
};

int
keys_init(struct keys *k, const char *prefix, const struct keys_bound *bound,
    const struct keys_ops *ops, void *arg, struct buf *out, struct error *err)
{
	struct key key;
	int rc = key_parse(prefix, &key, err);

	if (rc < 0)
		return rc;
	memset(k, 0, sizeof(*k));
	key_decoder_init(&k->decoder, &decoder_ops, k);
	k->decoder.mouse_format = MOUSE_SGR;
	k->ops = ops;
	k->arg = arg;
	k->out = out;
	k->prefix = key;
	k->bound = *bound;
	k->ask = true;
	buf_init(&k->text, 64u << 10);
	buf_init(&k->paste, KEYS_PASTE_MAX);
	return 0;
}

void
keys_finish(struct keys *k)
{
	buf_finish(&k->text);
	buf_finish(&k->paste);
}

void
keys_feed(struct keys *k, const void *p, size_t len)
{
	k->burst = len > 1 && memchr(p, '\033', len) == NULL;
	key_decoder_feed(&k->decoder, p, len);
	k->burst = false;
	end_text(k);
}

int
keys_wait_ms(const struct keys *k)
{
	switch (key_decoder_pending(&k->decoder)) {
	case KEY_PENDING_KEY:
		return ESCAPE_MS;
	case KEY_PENDING_SEQUENCE:
		return SEQUENCE_MS;
	case KEY_PENDING_NOTHING:
		break;
	}
	return -1;
}

void
keys_flush(struct keys *k)
{
	key_decoder_flush(&k->decoder);
	end_text(k);
}

bool
keys_match(const struct key *k, const char *names)
{
	char name[KEY_NAME_MAX];

	while (*names != '\0') {
		size_t len = strcspn(names, " ");
		struct key want;

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		if (key_parse(name, &want, NULL) == 0 && key_same(k, &want))
			return true;
		names += len;
		names += strspn(names, " ");
	}
	return false;
}

const char *
keys_prefix(const char *name)
{
	const char *env = getenv("TEND_PREFIX");

	if (name != NULL)
		return name;
	return env != NULL && *env != '\0' ? env : KEYS_DEFAULT_PREFIX;
}

const char *
keys_of(const struct keys_bound *bound, enum keys_command c)
{
	return bound->names[c] != NULL ? bound->names[c] : commands[c].keys;
}

const char *
keys_does(enum keys_command c)
{
	return commands[c].does;
}
