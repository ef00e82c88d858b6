#include "vt/key_seq.h"

#include <string.h>

#include "base/utf8.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define VALUES_MAX 64

/*
 * The parts of a CSI.  Values are numbered across parameters; parameter i has
 * those from first[i] up to first[i + 1].  An empty one is 0.
 */
struct csi {
	char prefix; /* one of <=>? or 0 */
	char inter;  /* the intermediate byte or 0 */
	char final;
	unsigned nparams;
	unsigned first[KEY_SEQ_PARAMS + 1];
	uint32_t values[VALUES_MAX];
};

/* Value `sub` of parameter i; 0 if it is missing. */
static uint32_t
value(const struct csi *c, unsigned i, unsigned sub)
{
	if (i >= c->nparams || sub >= c->first[i + 1] - c->first[i])
		return 0;
	return c->values[c->first[i] + sub];
}

static unsigned
value_count(const struct csi *c, unsigned i)
{
	return i < c->nparams ? c->first[i + 1] - c->first[i] : 0;
}

/* Read a number, limited so that multiplying cannot overflow. */
static const uint8_t *
take_number(const uint8_t *p, const uint8_t *end, uint32_t *n)
{
	for (*n = 0; p < end && *p >= '0' && *p <= '9'; p++)
		if (*n < 100000000)
			*n = *n * 10 + (*p - '0');
	return p;
}

/*
 * Read parameters up to the first byte that belongs to none; NULL if there are
 * too many.
 */
static const uint8_t *
take_params(const uint8_t *p, const uint8_t *end, struct csi *c)
{
	unsigned n = 0;

	if (p < end && *p >= 0x40)
		return p;
	for (;;) {
		if (n == VALUES_MAX || c->nparams == KEY_SEQ_PARAMS)
			return NULL;
		p = take_number(p, end, &c->values[n++]);
		c->first[c->nparams + 1] = n;
		if (p == end || (*p != ';' && *p != ':'))
			break;
		if (*p++ == ';')
			c->nparams++;
	}
	c->nparams++;
	return p;
}

/* Split the bytes between ESC [ and the end. */
static bool
take_csi(const uint8_t *p, size_t len, struct csi *c)
{
	const uint8_t *end = p + len;

	memset(c, 0, sizeof(*c));
	if (p < end && *p >= '<' && *p <= '?')
		c->prefix = (char)*p++;
	p = take_params(p, end, c);
	if (p == NULL)
		return false;
	if (end - p == 2 && *p >= 0x20 && *p <= 0x2f)
		c->inter = (char)*p++;
	if (end - p != 1)
		return false;
	c->final = (char)*p;
	return true;
}

/* The second parameter: modifiers plus one, and the event. */
static bool
read_mods(const struct csi *c, struct key *k)
{
	uint32_t mods = value(c, 1, 0), event = value(c, 1, 1);

	if (mods > 256 || event > 3 || value_count(c, 1) > 2)
		return false;
	k->mods = (uint8_t)(mods == 0 ? 0 : mods - 1);
	k->event = event == 0 ? KEY_PRESS : (enum key_event)(event - 1);
	return true;
}

static bool
is_key(struct key_seq *out, uint32_t code)
{
	out->u.key.code = code;
	if (code == KEY_NONE)
		return false;
	out->kind = KEY_SEQ_KEY;
	return true;
}

/* The key of a number that may also be a character. */
static uint32_t
code_of(uint32_t number)
{
	uint32_t code = key_find(number, 'u');

	if (code != KEY_NONE)
		return code;
	if (number == '\b')
		return KEY_BACKSPACE;
	return key_is_char(number) ? number : KEY_NONE;
}

static bool
read_text(const struct csi *c, struct key *k)
{
	size_t n = 0;

	for (unsigned i = 0; i < value_count(c, 2); i++) {
		uint32_t cp = value(c, 2, i);
		char bytes[4];
		size_t len = utf8_encode(bytes, cp);

		if (cp == 0 && value_count(c, 2) == 1)
			break;
		if (!key_is_char(cp) || n + len >= KEY_TEXT_MAX)
			return false;
		memcpy(k->text + n, bytes, len);
		n += len;
	}
	return true;
}

/* CSI code : shifted : base ; modifiers : event ; text u */
static bool
read_unicode(const struct csi *c, struct key_seq *out)
{
	struct key *k = &out->u.key;

	if (c->nparams == 0 || c->nparams > 3 || value_count(c, 0) > 3)
		return false;
	k->shifted = value(c, 0, 1);
	k->base = value(c, 0, 2);
	if (!read_mods(c, k) || !read_text(c, k))
		return false;
	if (value(c, 0, 0) == 0 && k->text[0] != '\0') {
		out->kind = KEY_SEQ_KEY;
		return true;
	}
	return is_key(out, code_of(value(c, 0, 0)));
}

/* CSI 27 ; modifiers ; code ~ */
static bool
read_other(const struct csi *c, struct key_seq *out)
{
	return c->nparams == 3 && read_mods(c, &out->u.key) &&
	    is_key(out, code_of(value(c, 2, 0)));
}

/* The key of CSI number ~, including other terminals' variants. */
static uint32_t
tilde_key(uint32_t number)
{
	static const struct {
		uint8_t number;
		uint32_t code;
	} others[] = {
		{ 1, KEY_HOME },
		{ 4, KEY_END },
		{ 7, KEY_HOME },
		{ 8, KEY_END },
		{ 11, KEY_F1 },
		{ 12, KEY_F2 },
		{ 14, KEY_F4 },
	};

	for (size_t i = 0; i < COUNT(others); i++)
		if (others[i].number == number)
			return others[i].code;
	return key_find(number, '~');
}

static bool
read_tilde(const struct csi *c, struct key_seq *out)
{
	uint32_t number = value(c, 0, 0);

	if (number == 27)
		return read_other(c, out);
	if (number == 200 && c->nparams == 1) {
		out->kind = KEY_SEQ_PASTE;
		return true;
	}
	return c->nparams <= 2 && read_mods(c, &out->u.key) &&
	    is_key(out, tilde_key(number));
}

/* rxvt's modifiers: CSI number and a final of its own. */
static bool
read_rxvt(const struct csi *c, struct key_seq *out)
{
	struct key *k = &out->u.key;

	if (c->nparams != 1 || value_count(c, 0) != 1)
		return false;
	k->mods = c->final == '$' ? KEY_MOD_SHIFT : KEY_MOD_CTRL;
	if (c->final == '@')
		k->mods |= KEY_MOD_SHIFT;
	return is_key(out, tilde_key(value(c, 0, 0)));
}

/* rxvt's CSI a to d: arrows with Shift. */
static bool
read_rxvt_arrow(const struct csi *c, struct key_seq *out)
{
	out->u.key.mods = KEY_MOD_SHIFT;
	return c->nparams == 0 &&
	    is_key(out, key_find(1, (char)(c->final - 'a' + 'A')));
}

/* CSI 1 ; modifiers : event letter */
static bool
read_letter(const struct csi *c, struct key_seq *out)
{
	uint32_t first = value(c, 0, 0);

	return c->nparams <= 2 && first <= 1 && value_count(c, 0) <= 1 &&
	    read_mods(c, &out->u.key) && is_key(out, key_find(1, c->final));
}

/*
 * CSI 1 ; n R is F3 with modifiers, or the cursor in the first row.  If n is
 * higher than any modifiers, it is the cursor.
 */
static bool
read_f3(const struct csi *c, struct key_seq *out)
{
	uint32_t mods = value(c, 1, 0);

	if (c->nparams == 2 && value_count(c, 1) == 1 &&
	    (mods < 2 || mods > 64))
		return false;
	return read_letter(c, out);
}

static bool
read_back_tab(const struct csi *c, struct key_seq *out)
{
	if (c->nparams > 2 || !read_mods(c, &out->u.key))
		return false;
	out->u.key.mods |= KEY_MOD_SHIFT;
	return is_key(out, KEY_TAB);
}

static bool
read_focus(const struct csi *c, struct key_seq *out)
{
	out->kind = c->final == 'I' ? KEY_SEQ_FOCUS_IN : KEY_SEQ_FOCUS_OUT;
	return c->nparams == 0;
}

static void
place_mouse(struct key_seq *out, uint32_t x, uint32_t y, bool pixels)
{
	struct mouse_event *ev = &out->u.mouse;

	out->kind = KEY_SEQ_MOUSE;
	if (pixels) {
		ev->px = x - 1;
		ev->py = y - 1;
	} else {
		ev->col = x - 1;
		ev->row = y - 1;
	}
}

/* urxvt's CSI code ; x ; y M, and with < the same from SGR. */
static bool
read_mouse(const struct csi *c, bool pixels, struct key_seq *out)
{
	bool sgr = c->prefix == '<';
	uint32_t code = value(c, 0, 0), x = value(c, 1, 0), y = value(c, 2, 0);

	memset(&out->u, 0, sizeof(out->u));
	if (c->nparams != 3 || (!sgr && (c->final != 'M' || code < 32)) ||
	    x == 0 || y == 0)
		return false;
	if (!mouse_decode(sgr ? code : code - 32, sgr, c->final == 'm',
		&out->u.mouse))
		return false;
	place_mouse(out, x, y, sgr && pixels);
	return true;
}

static const struct {
	const char *finals;
	bool (*read)(const struct csi *, struct key_seq *);
} readers[] = {
	{ "ABCDEFHPQS", read_letter },
	{ "R", read_f3 },
	{ "~", read_tilde },
	{ "u", read_unicode },
	{ "Z", read_back_tab },
	{ "IO", read_focus },
	{ "$^@", read_rxvt },
	{ "abcd", read_rxvt_arrow },
};

/*
 * `first` is the required first number, or 0; the first matching line counts.
 */
static const struct {
	char prefix, inter, final;
	uint8_t min_params;
	uint16_t first;
	enum key_reply_kind kind;
} csi_replies[] = {
	{ 0, 0, 'R', 2, 0, KEY_REPLY_CPR },
	{ '?', 0, 'R', 2, 0, KEY_REPLY_DECXCPR },
	{ '?', 0, 'c', 1, 0, KEY_REPLY_DA1 },
	{ '>', 0, 'c', 1, 0, KEY_REPLY_DA2 },
	{ 0, 0, 'n', 1, 0, KEY_REPLY_DSR },
	{ '?', 0, 'n', 2, 997, KEY_REPLY_SCHEME },
	{ '?', 0, 'n', 1, 0, KEY_REPLY_DSR },
	{ 0, '$', 'y', 2, 0, KEY_REPLY_DECRPM },
	{ '?', '$', 'y', 2, 0, KEY_REPLY_DECRPM },
	{ 0, 0, 't', 5, 48, KEY_REPLY_RESIZE },
	{ 0, 0, 't', 1, 0, KEY_REPLY_WINDOW },
	{ '?', 0, 'u', 1, 0, KEY_REPLY_KITTY_FLAGS },
	{ '>', 0, 'm', 1, 4, KEY_REPLY_MODIFY_OTHER },
	{ '?', 0, 'S', 1, 0, KEY_REPLY_GRAPHICS },
};

static bool
read_csi_reply(const struct csi *c, struct key_seq *out)
{
	struct key_reply *r = &out->u.reply;

	memset(&out->u, 0, sizeof(out->u));
	for (size_t i = 0; i < COUNT(csi_replies); i++) {
		if (c->prefix != csi_replies[i].prefix ||
		    c->inter != csi_replies[i].inter ||
		    c->final != csi_replies[i].final ||
		    c->nparams < csi_replies[i].min_params)
			continue;
		if (csi_replies[i].first != 0 &&
		    value(c, 0, 0) != csi_replies[i].first)
			continue;
		out->kind = KEY_SEQ_REPLY;
		r->kind = csi_replies[i].kind;
		for (r->nparams = 0; r->nparams < c->nparams; r->nparams++)
			r->params[r->nparams] = value(c, r->nparams, 0);
		return true;
	}
	return false;
}

static bool
read_csi_key(const struct csi *c, struct key_seq *out)
{
	for (size_t i = 0; i < COUNT(readers); i++)
		if (strchr(readers[i].finals, c->final) != NULL)
			return readers[i].read(c, out);
	return false;
}

static bool
read_csi(const uint8_t *p, size_t len, const struct key_seq_hints *hints,
    struct key_seq *out)
{
	bool pixels = hints->mouse_format == MOUSE_SGR_PIXELS;
	struct csi c;

	if (!take_csi(p + 2, len - 2, &c))
		return false;
	if ((c.final == 'M' || c.final == 'm') && c.inter == 0 &&
	    (c.prefix == '<' || c.prefix == 0))
		return read_mouse(&c, pixels, out);
	if (c.final == 'R' && hints->cpr && read_csi_reply(&c, out))
		return true;
	if (c.prefix == 0 && c.inter == 0 && read_csi_key(&c, out))
		return true;
	return read_csi_reply(&c, out);
}

/* The Linux console's CSI [ A to E: F1 to F5. */
static bool
read_linux(const uint8_t *p, size_t len, struct key_seq *out)
{
	return len == 4 && p[3] >= 'A' && p[3] <= 'E' &&
	    is_key(out, (uint32_t)KEY_F1 + p[3] - 'A');
}

/* One value of the packed formats; NULL if the bytes hold none. */
static const uint8_t *
take_packed(const uint8_t *p, const uint8_t *end, enum mouse_format format,
    uint32_t *v)
{
	struct utf8 u = { 0 };
	enum utf8_step step = UTF8_MORE;

	if (format != MOUSE_UTF8 && p < end) {
		*v = *p;
		return p + 1;
	}
	while (p < end && step == UTF8_MORE)
		step = utf8_step(&u, *p++, v);
	return step == UTF8_DONE ? p : NULL;
}

static bool
read_packed(const uint8_t *p, size_t len, enum mouse_format format,
    struct key_seq *out)
{
	const uint8_t *end = p + len;
	uint32_t v[3] = { 0 };

	p += 3;
	for (int i = 0; i < 3 && p != NULL; i++)
		p = take_packed(p, end, format, &v[i]);
	if (p != end || v[0] < 32 || v[1] <= 32 || v[2] <= 32 ||
	    !mouse_decode(v[0] - 32, false, false, &out->u.mouse))
		return false;
	place_mouse(out, v[1] - 32, v[2] - 32, false);
	return true;
}

/* SS3 [modifiers] letter: cursor keys, PF keys, the keypad. */
static bool
read_ss3(const uint8_t *p, size_t len, struct key_seq *out)
{
	const uint8_t *end = p + len;
	struct key *k = &out->u.key;
	uint32_t mods, code;

	p = take_number(p + 2, end, &mods);
	if (end - p != 1 || mods > 64)
		return false;
	k->mods = (uint8_t)(mods == 0 ? 0 : mods - 1);
	if (*p >= 'a' && *p <= 'd') {
		k->mods |= KEY_MOD_CTRL; /* rxvt */
		code = key_find(1, (char)(*p - 'a' + 'A'));
	} else {
		code = key_find_keypad((char)*p);
		if (code == KEY_NONE)
			code = key_find(1, (char)*p);
	}
	return is_key(out, code);
}

/* The beginnings of reply strings, after ESC; ? stands for a digit. */
static const struct {
	const char *begins;
	enum key_reply_kind kind;
} string_replies[] = {
	{ "]4;", KEY_REPLY_COLOR },
	{ "]1?;", KEY_REPLY_COLOR },
	{ "]?", KEY_REPLY_OSC },
	{ "P>|", KEY_REPLY_XTVERSION },
	{ "P!|", KEY_REPLY_DA3 },
	{ "P?$r", KEY_REPLY_DECRQSS },
	{ "P?+r", KEY_REPLY_XTGETTCAP },
	{ "_G", KEY_REPLY_KITTY_GRAPHICS },
};

static bool
begins(const uint8_t *p, size_t len, const char *pattern)
{
	for (size_t i = 0; pattern[i] != '\0'; i++) {
		if (i >= len)
			return false;
		if (pattern[i] == '?' ? p[i] < '0' || p[i] > '9' :
					p[i] != (uint8_t)pattern[i])
			return false;
	}
	return true;
}

static bool
read_string(const uint8_t *p, size_t len, struct key_seq *out)
{
	for (size_t i = 0; i < COUNT(string_replies); i++)
		if (begins(p + 1, len - 1, string_replies[i].begins)) {
			out->kind = KEY_SEQ_REPLY;
			out->u.reply.kind = string_replies[i].kind;
			return true;
		}
	return false;
}

static bool
read_any(const uint8_t *p, size_t len, const struct key_seq_hints *hints,
    struct key_seq *out)
{
	if (len < 3)
		return false;
	if (p[1] == 'O')
		return read_ss3(p, len, out);
	if (p[1] != '[')
		return read_string(p, len, out);
	if (p[2] == '[')
		return read_linux(p, len, out);
	if (p[2] == 'M')
		return read_packed(p, len, hints->mouse_format, out);
	return read_csi(p, len, hints, out);
}

void
key_seq_read(const uint8_t *p, size_t len, const struct key_seq_hints *hints,
    struct key_seq *out)
{
	memset(out, 0, sizeof(*out));
	if (!read_any(p, len, hints, out)) {
		memset(out, 0, sizeof(*out));
		return;
	}
	if (out->kind == KEY_SEQ_REPLY) {
		out->u.reply.raw = p;
		out->u.reply.len = len;
	}
}
