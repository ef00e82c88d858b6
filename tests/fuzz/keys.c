/*
 * Input from a terminal and keys for a program, with hostile bytes on both
 * sides.  Each input is read in two ways:
 *
 * as bytes of a terminal, in chunks that the input itself chooses: the events
 * are those of one chunk, every byte of a paste and of an unknown sequence is
 * reported once, and no event is longer than its bound;
 *
 * as keys, mouse events and modes: an event in kitty's full protocol comes
 * back unchanged, and in every mode the decoder knows all that the encoder
 * writes.
 */
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "vt/key_decode.h"
#include "vt/key_encode.h"
#include "vt/paste.h"

/* Bytes that are used up one by one; zeros when none are left. */
struct input {
	const uint8_t *p;
	size_t len;
};

static uint32_t
take(struct input *in, size_t n)
{
	uint32_t v = 0;

	for (; n > 0; n--) {
		v = v << 8 | (in->len > 0 ? *in->p : 0);
		if (in->len > 0) {
			in->p++;
			in->len--;
		}
	}
	return v;
}

/* A trace of events; a paste's pieces are joined. */
struct trace {
	struct buf out;
	size_t events;
	size_t raw; /* bytes reported unchanged */
	struct key key;
	struct mouse_event mouse;
	bool only_keys;
};

static void
on_key(void *arg, const struct key *k)
{
	struct trace *t = arg;
	struct key canonical = *k;
	char name[KEY_NAME_MAX];

	key_canonical(&canonical);
	MUST(key_equal(k, &canonical));
	MUST(key_is_valid(k) || k->code == KEY_NONE);
	MUST(key_name(k, name, sizeof(name)) == 0 || k->code == KEY_NONE);
	MUST(utf8_valid(k->text, strlen(k->text)));
	t->key = *k;
	t->events++;
	buf_printf(&t->out, "key %u %u %u %u %u %s\n", k->code, k->shifted,
	    k->base, k->mods, (unsigned)k->event, k->text);
}

static void
on_mouse(void *arg, const struct mouse_event *ev)
{
	struct trace *t = arg;

	MUST(ev->button < MOUSE_BUTTONS);
	t->mouse = *ev;
	t->events++;
	buf_printf(&t->out, "mouse %u %u %u %u %u %u %u\n", (unsigned)ev->type,
	    (unsigned)ev->button, ev->mods, ev->row, ev->col, ev->px, ev->py);
}

static void
on_paste(void *arg, enum key_paste what, const uint8_t *p, size_t len)
{
	struct trace *t = arg;

	MUST((what == KEY_PASTE_DATA) == (len > 0));
	t->events += what != KEY_PASTE_DATA;
	t->raw += len;
	if (len > 0)
		buf_append(&t->out, p, len);
	else
		buf_printf(&t->out, "paste %u\n", (unsigned)what);
}

static void
on_focus(void *arg, bool in)
{
	struct trace *t = arg;

	t->events++;
	buf_printf(&t->out, "focus %d\n", in);
}

static void
on_reply(void *arg, const struct key_reply *r)
{
	struct trace *t = arg;

	MUST(r->len >= 3 && r->len <= KEY_DECODER_MAX && r->raw[0] == 0x1b);
	MUST(r->nparams <= KEY_SEQ_PARAMS && !t->only_keys);
	t->events++;
	buf_printf(&t->out, "reply %u ", (unsigned)r->kind);
	buf_append(&t->out, r->raw, r->len);
}

static void
on_unknown(void *arg, const uint8_t *p, size_t len)
{
	struct trace *t = arg;

	MUST(len > 0 && len <= KEY_DECODER_MAX && !t->only_keys);
	t->raw += len;
	buf_puts(&t->out, "unknown ");
	buf_append(&t->out, p, len);
}

static const struct key_decoder_ops ops = { on_key, on_mouse, on_paste,
	on_focus, on_reply, on_unknown };

static void
trace_init(struct trace *t)
{
	memset(t, 0, sizeof(*t));
	buf_init(&t->out, 1 << 24);
}

static void
decode(const uint8_t *p, size_t len, uint32_t seed, enum mouse_format format,
    struct trace *t)
{
	struct key_decoder d;

	key_decoder_init(&d, &ops, t);
	d.mouse_format = format;
	d.cpr_expected = seed & 1;
	for (size_t n; len > 0; p += n, len -= n) {
		seed = seed * 1103515245 + 12345;
		n = 1 + (seed >> 16) % 17;
		if (n > len || t->only_keys)
			n = len;
		key_decoder_feed(&d, p, n);
	}
	key_decoder_flush(&d);
	MUST(key_decoder_pending(&d) == KEY_PENDING_NOTHING);
}

static void
chunks_do_not_count(struct input in)
{
	uint32_t seed = take(&in, 2);
	enum mouse_format format = take(&in, 1) % (MOUSE_SGR_PIXELS + 1);
	struct trace whole, cut;
	struct key_decoder d;

	trace_init(&whole);
	trace_init(&cut);
	key_decoder_init(&d, &ops, &whole);
	d.mouse_format = format;
	d.cpr_expected = seed & 1;
	key_decoder_feed(&d, in.p, in.len);
	key_decoder_flush(&d);
	decode(in.p, in.len, seed, format, &cut);
	MUST(whole.out.len == cut.out.len);
	MUST(whole.out.len == 0 ||
	    memcmp(whole.out.data, cut.out.data, cut.out.len) == 0);
	MUST(whole.raw <= in.len && cut.raw <= in.len);
	buf_finish(&whole.out);
	buf_finish(&cut.out);
}

static struct key
take_key(struct input *in)
{
	struct key k = { 0 };
	uint32_t choice = take(in, 1);

	if (choice & 1)
		k.code = KEY_BEFORE_FIRST + take(in, 1) % 128;
	else
		k.code = choice & 2 ? take(in, 1) & 0x7f : take(in, 3);
	k.mods = (uint8_t)take(in, 1);
	k.event = (enum key_event)(take(in, 1) % 4);
	if (choice & 4)
		k.shifted = take(in, 3);
	if (choice & 8)
		k.base = take(in, 3);
	if (choice & 16)
		for (size_t i = 0; i < sizeof(k.text); i++)
			k.text[i] = (char)take(in, 1);
	return k;
}

static struct input_modes
take_modes(struct input *in)
{
	uint32_t bits = take(in, 1);
	struct input_modes m = {
		.app_cursor = bits & 1,
		.app_keypad = bits & 2,
		.backarrow_bs = bits & 4,
		.newline = bits & 8,
		.bracketed_paste = bits & 16,
		.focus_events = bits & 32,
		.alt_scroll = bits & 64,
		.alt_screen = bits & 128,
	};

	m.modify_other_keys = take(in, 1) % 3;
	m.format_other_keys = take(in, 1) % 2;
	m.kitty_flags = take(in, 1) % 32;
	m.mouse = take(in, 1) % (MOUSE_ANY + 1);
	m.mouse_format = take(in, 1) % (MOUSE_SGR_PIXELS + 1);
	return m;
}

/*
 * Kitty uses the numbers of some characters for keys; those characters cannot
 * be expressed.
 */
static bool
is_sayable(const struct key *k)
{
	return (key_is_valid(k) && (k->code < 57358 || k->code > 57454)) ||
	    (k->code == KEY_NONE && k->text[0] != '\0');
}

static void
a_key_comes_back(const struct key *k, const struct input_modes *m)
{
	bool full = m->kitty_flags == 31;
	struct key want = *k;
	struct trace t;
	struct buf out;

	trace_init(&t);
	buf_init(&out, 1000);
	MUST(key_encode(k, m, &out) == 0);
	t.only_keys = true;
	if (out.len > 0)
		decode(out.data, out.len, 0, MOUSE_LEGACY, &t);
	key_canonical(&want);
	if (full && is_sayable(&want))
		MUST(t.events == 1 && key_equal(&want, &t.key));
	buf_finish(&out);
	buf_finish(&t.out);
}

/* Without protocols, a decoded event is encoded to the same bytes. */
static void
legacy_bytes_are_stable(const struct key *k, struct input_modes m)
{
	struct buf once, again;
	struct trace t;

	m.kitty_flags = m.modify_other_keys = 0;
	m.newline = m.backarrow_bs = false;
	trace_init(&t);
	buf_init(&once, 1000);
	buf_init(&again, 1000);
	MUST(key_encode(k, &m, &once) == 0);
	if (once.len > 0)
		decode(once.data, once.len, 0, MOUSE_LEGACY, &t);
	if (t.events == 1) {
		MUST(key_encode(&t.key, &m, &again) == 0);
		MUST(again.len == once.len &&
		    memcmp(again.data, once.data, once.len) == 0);
	}
	buf_finish(&once);
	buf_finish(&again);
	buf_finish(&t.out);
}

static void
a_mouse_event_comes_back(struct input *in, const struct input_modes *m)
{
	struct mouse_event ev = { 0 };
	struct trace t;
	struct buf out;

	ev.type = (enum mouse_type)(take(in, 1) % 5);
	ev.button = (enum mouse_button)(take(in, 1) % (MOUSE_BUTTONS + 1));
	ev.mods = (uint8_t)take(in, 1);
	ev.row = take(in, 2);
	ev.col = take(in, 4);
	ev.px = take(in, 2);
	ev.py = take(in, 2);
	trace_init(&t);
	buf_init(&out, 1000);
	MUST(mouse_encode(&ev, m, &out) == 0);
	t.only_keys = true;
	if (out.len > 0 && ev.col < 100000000)
		decode(out.data, out.len, 0, m->mouse_format, &t);
	if (t.events == 1) {
		MUST(t.mouse.type == ev.type);
		MUST(t.mouse.row == ev.row || t.mouse.py == ev.py);
		MUST(t.mouse.col == ev.col || t.mouse.px == ev.px);
	}
	buf_finish(&out);
	buf_finish(&t.out);
}

static void
a_paste_stays_in_its_brackets(struct input in, struct input_modes m)
{
	struct trace t;
	struct buf out;

	m.bracketed_paste = true;
	trace_init(&t);
	buf_init(&out, 1 << 24);
	MUST(paste_encode(in.p, in.len, &m, &out) == 0);
	MUST(utf8_valid(out.data, out.len));
	t.only_keys = true;
	decode(out.data, out.len, 0, MOUSE_LEGACY, &t);
	MUST(t.events == 2 && t.raw == out.len - 12);
	buf_finish(&out);
	buf_finish(&t.out);
}

static void
a_name_is_read_or_refused(struct input in)
{
	char name[64], again[KEY_NAME_MAX];
	size_t n = in.len < sizeof(name) - 1 ? in.len : sizeof(name) - 1;
	struct key k, back;

	memcpy(name, in.p, n);
	name[n] = '\0';
	if (key_parse(name, &k, NULL) < 0)
		return;
	MUST(key_name(&k, again, sizeof(again)) == 0);
	MUST(key_parse(again, &back, NULL) == 0);
	MUST(key_equal(&k, &back));
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct input in = { p, len };
	struct input_modes m;
	struct key k;

	chunks_do_not_count(in);
	if (len > 0)
		a_name_is_read_or_refused(in);
	m = take_modes(&in);
	k = take_key(&in);
	a_key_comes_back(&k, &m);
	legacy_bytes_are_stable(&k, m);
	m.kitty_flags = 31;
	a_key_comes_back(&k, &m);
	a_mouse_event_comes_back(&in, &m);
	a_paste_stays_in_its_brackets(in, m);
	return 0;
}
