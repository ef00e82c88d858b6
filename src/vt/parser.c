#include "vt/parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"
#include "base/mem.h"

enum {
	C0_BEL = 0x07,
	C0_CAN = 0x18,
	C0_SUB = 0x1a,
	C0_ESC = 0x1b,
	C0_DEL = 0x7f
};

enum {
	C1_DCS = 0x90,
	C1_SOS = 0x98,
	C1_CSI = 0x9b,
	C1_ST = 0x9c,
	C1_OSC = 0x9d,
	C1_PM = 0x9e,
	C1_APC = 0x9f
};

/* The maximum number of code points in one callback. */
#define TEXT_BATCH 128

/* A string buffer larger than this is freed after use. */
#define STRING_KEEP 1024

typedef const uint8_t *state_fn(struct parser *ps, const uint8_t *p,
    const uint8_t *end);

void
parser_init(struct parser *ps, const struct parser_ops *ops, void *arg)
{
	memset(ps, 0, sizeof(*ps));
	ps->ops = ops;
	ps->arg = arg;
	ps->seq.nargs = 1;
}

static void
drop_string(struct parser *ps)
{
	ps->string_len = 0;
	if (ps->string_cap <= STRING_KEEP)
		return;
	free(ps->string);
	ps->string = NULL;
	ps->string_cap = 0;
}

void
parser_finish(struct parser *ps)
{
	free(ps->string);
	ps->string = NULL;
	ps->string_cap = ps->string_len = 0;
}

void
parser_stop(struct parser *ps)
{
	ps->stop = true;
}

static void
begin(struct parser *ps, enum parser_state state)
{
	struct seq *s = &ps->seq;

	s->private = s->intermediate = s->final = 0;
	s->nargs = 1;
	s->args[0] = 0;
	s->sub = 0;
	s->str = NULL;
	s->len = 0;
	ps->started = ps->overflow = false;
	ps->state = state;
}

static void
begin_string(struct parser *ps, bool is_osc)
{
	ps->is_osc = is_osc;
	ps->escaped = ps->lead_c2 = ps->overflow = false;
	ps->string_len = 0;
	ps->state = PARSER_STRING;
}

static void
control(struct parser *ps, uint8_t code)
{
	ps->ops->control(ps->arg, code);
}

/* A C1 control or its 7-bit form begins a sequence, or is complete itself. */
static void
control_c1(struct parser *ps, uint8_t code)
{
	ps->state = PARSER_GROUND;
	switch (code) {
	case C1_CSI:
		begin(ps, PARSER_CSI);
		return;
	case C1_DCS:
		begin(ps, PARSER_DCS);
		return;
	case C1_OSC:
		begin(ps, PARSER_GROUND);
		begin_string(ps, true);
		return;
	case C1_SOS:
	case C1_PM:
	case C1_APC:
		ps->escaped = ps->lead_c2 = false;
		ps->state = PARSER_SWALLOW;
		return;
	default:
		control(ps, code);
	}
}

/* The end of the run of printable ASCII that begins at p. */
static const uint8_t *
ascii_end(const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
	/* As signed bytes, 0x20..0x7e are those above 0x1f that are not 0x7f. */
	const __m128i low = _mm_set1_epi8(0x1f), del = _mm_set1_epi8(0x7f);
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i good = _mm_andnot_si128(_mm_cmpeq_epi8(v, del),
		    _mm_cmpgt_epi8(v, low));
		unsigned bad = (unsigned)_mm_movemask_epi8(good) ^ 0xffffu;
		if (bad != 0)
			return p + __builtin_ctz(bad);
	}
#endif
	while (p < end && *p >= 0x20 && *p < 0x7f)
		p++;
	return p;
}

/* A character of more than one byte, from the beginning of the word. */
struct decoded {
	uint32_t cp;
	unsigned len; /* 0: not well-formed; use the careful decoder */
};

static inline struct decoded
decode(uint32_t word)
{
	uint32_t cp;

	if ((word & 0xc0c0f0) == 0x8080e0) {
		cp = (word & 0x0f) << 12 | (word >> 2 & 0xfc0) |
		    (word >> 16 & 0x3f);
		/* Neither overlong nor a surrogate. */
		bool good = cp >= 0x800 && cp - 0xd800 >= 0x800;
		return (struct decoded){ cp, good ? 3 : 0 };
	}
	if ((word & 0xc0e0) == 0x80c0) {
		cp = (word & 0x1f) << 6 | (word >> 8 & 0x3f);
		return (struct decoded){ cp, cp >= 0x80 ? 2 : 0 };
	}
	if ((word & 0xc0c0c0f8) == 0x808080f0) {
		cp = (word & 0x07) << 18 | (word << 4 & 0x3f000) |
		    (word >> 10 & 0xfc0) | (word >> 24 & 0x3f);
		return (struct decoded){ cp, cp - 0x10000 < 0x100000 ? 4 : 0 };
	}
	return (struct decoded){ 0, 0 };
}

/*
 * The same byte by byte: also for a character that is cut off by the end,
 * continues from the chunk before, or is broken.  True if a character is
 * complete.
 */
static bool
decode_carefully(struct parser *ps, const uint8_t **p, uint32_t *cp)
{
	enum utf8_step step = utf8_step(&ps->utf8, **p, cp);

	*p += step != UTF8_BAD_AGAIN;
	return step != UTF8_MORE;
}

/* One ASCII character, probably a blank, between two that are not. */
static inline bool
is_between(const uint8_t *p, const uint8_t *end)
{
	return end - p >= 2 && p[1] >= 0x80 && *p >= 0x20 && *p != C0_DEL;
}

struct batch {
	uint32_t cps[TEXT_BATCH];
	uint16_t at[TEXT_BATCH + 1];
};

/*
 * Decode complete, well-formed characters beyond ASCII from *p on, but no C1
 * controls.  Single ASCII characters in between are included, because a
 * callback for every word costs more than the words.  Returns the number of
 * characters.
 */
static inline size_t
decode_run(const uint8_t **p, const uint8_t *end, struct batch *out)
{
	const uint8_t *at = *p;
	size_t n = 0;

	while (end - at >= 4 && n < TEXT_BATCH) {
		out->at[n] = (uint16_t)(at - *p);
		if (*at < 0x80) {
			if (!is_between(at, end))
				break;
			out->cps[n++] = *at++;
			continue;
		}
		struct decoded d = decode(get_u32le(at));
		if (d.len == 0 || d.cp < 0xa0)
			break;
		out->cps[n++] = d.cp;
		at += d.len;
	}
	out->at[n] = (uint16_t)(at - *p);
	*p = at;
	return n;
}

/* One character that is not in the input as it is. */
static void
hand_over(struct parser *ps, uint32_t cp)
{
	char utf8[4];
	uint16_t at[] = { 0, (uint16_t)utf8_encode(utf8, cp) };
	struct text t = { &cp, 1, (const uint8_t *)utf8, at };

	ps->ops->text(ps->arg, &t);
}

/*
 * Characters beyond ASCII, from the beginning or the middle of one, up to the
 * next ASCII.
 */
static const uint8_t *
text(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	struct batch b;
	const uint8_t *start = p;
	uint32_t cp = 0;
	size_t n = ps->utf8.need == 0 ? decode_run(&p, end, &b) : 0;

	if (n > 0) {
		struct text t = { b.cps, n, start, b.at };
		ps->ops->text(ps->arg, &t);
	} else if (decode_carefully(ps, &p, &cp)) {
		if (cp >= 0x80 && cp < 0xa0)
			control_c1(ps, (uint8_t)cp);
		else
			hand_over(ps, cp);
	}
	return p;
}

/*
 * Bytes that may come anywhere in a sequence: controls act at once, CAN and
 * SUB abort it, ESC begins another, DEL is ignored.  True if c was one of
 * them; a byte that is not ASCII aborts the sequence and is processed again.
 */
static bool
in_passing(struct parser *ps, uint8_t c, const uint8_t **p)
{
	if (c >= 0x20 && c < 0x7f)
		return false;
	if (c >= 0x80) {
		ps->state = PARSER_GROUND;
		--*p;
	} else if (c == C0_ESC) {
		begin(ps, PARSER_ESC);
	} else if (c == C0_CAN || c == C0_SUB) {
		ps->state = PARSER_GROUND;
	} else if (c != C0_DEL) {
		control(ps, c);
	}
	return true;
}

static void
intermediate(struct seq *s, uint8_t c)
{
	s->intermediate = s->intermediate == 0 ? c : SEQ_INTERMEDIATES;
}

static const uint8_t *
escape(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_ESC) {
		uint8_t c = *p++;
		if (in_passing(ps, c, &p)) {
			continue;
		} else if (c < 0x30) {
			intermediate(&ps->seq, c);
		} else if (ps->seq.intermediate == 0 && c >= 0x40 && c < 0x60 &&
		    c != '\\') {
			control_c1(ps, (uint8_t)(c + 0x40));
		} else {
			ps->state = PARSER_GROUND;
			ps->seq.final = c;
			ps->ops->esc(ps->arg, &ps->seq);
		}
	}
	return p;
}

static void
next_arg(struct parser *ps, bool sub)
{
	struct seq *s = &ps->seq;

	if (s->nargs == SEQ_ARGS_MAX) {
		ps->overflow = true;
		return;
	}
	s->args[s->nargs] = 0;
	if (sub)
		s->sub |= 1u << s->nargs;
	s->nargs++;
}

static void
digit(struct parser *ps, uint8_t c)
{
	uint16_t *arg = &ps->seq.args[ps->seq.nargs - 1];
	uint32_t value = *arg * 10u + (uint32_t)(c - '0');

	if (!ps->overflow)
		*arg = value < SEQ_ARG_MAX ? (uint16_t)value : SEQ_ARG_MAX;
}

/*
 * A byte of the parameters or intermediates, the same in CSI and DCS.  False
 * if it is in the wrong place.
 */
static bool
parameter(struct parser *ps, uint8_t c)
{
	if (c < 0x30) {
		intermediate(&ps->seq, c);
		return true;
	}
	if (ps->seq.intermediate != 0)
		return false;
	if (c >= '<') {
		if (ps->started)
			return false;
		ps->seq.private = c;
	} else if (c >= ':') {
		next_arg(ps, c == ':');
	} else {
		digit(ps, c);
	}
	ps->started = true;
	return true;
}

/*
 * Numbers and semicolons, the bulk of every CSI.  Stops at the first other
 * byte.
 */
static const uint8_t *
numbers(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	struct seq *s = &ps->seq;
	uint32_t value = s->args[s->nargs - 1];

	for (; p < end; p++) {
		unsigned d = *p - (unsigned)'0';
		if (d <= 9) {
			value = value * 10 + d;
			if (value > SEQ_ARG_MAX)
				value = SEQ_ARG_MAX;
		} else if (*p == ';' && s->nargs < SEQ_ARGS_MAX) {
			s->args[s->nargs - 1] = (uint16_t)value;
			s->args[s->nargs++] = 0;
			value = 0;
		} else {
			break;
		}
		ps->started = true;
	}
	s->args[s->nargs - 1] = (uint16_t)value;
	return p;
}

static const uint8_t *
csi(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_CSI) {
		if (ps->seq.intermediate == 0 && !ps->overflow)
			p = numbers(ps, p, end);
		if (p == end)
			break;
		uint8_t c = *p++;
		if (c >= 0x40 && c < 0x7f) {
			ps->state = PARSER_GROUND;
			ps->seq.final = c;
			ps->seq.bare = !ps->started;
			ps->ops->csi(ps->arg, &ps->seq);
		} else if (!in_passing(ps, c, &p) && !parameter(ps, c)) {
			ps->state = PARSER_CSI_IGNORE;
		}
	}
	return p;
}

static const uint8_t *
csi_ignore(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_CSI_IGNORE) {
		uint8_t c = *p++;
		if (!in_passing(ps, c, &p) && c >= 0x40)
			ps->state = PARSER_GROUND;
	}
	return p;
}

static const uint8_t *
ground(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_GROUND && !ps->stop) {
		if (*p >= 0x80 || ps->utf8.need > 0) {
			p = text(ps, p, end);
			continue;
		}
		const uint8_t *run = ascii_end(p, end);
		if (run > p) {
			ps->ops->ascii(ps->arg, p, (size_t)(run - p));
			p = run;
			continue;
		}
		uint8_t c = *p++;
		if (c == C0_ESC && p < end && *p == '[') {
			begin(ps, PARSER_CSI);
			p = csi(ps, p + 1, end);
		} else if (c == C0_ESC) {
			begin(ps, PARSER_ESC);
		} else if (c != C0_DEL) {
			control(ps, c);
		}
	}
	return p;
}

static void
swallow(struct parser *ps)
{
	ps->escaped = ps->lead_c2 = false;
	ps->state = PARSER_SWALLOW;
}

static const uint8_t *
dcs(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_DCS) {
		uint8_t c = *p++;
		if (c < 0x20 && c != C0_ESC && c != C0_CAN && c != C0_SUB) {
			continue; /* does not act here, unlike in CSI */
		} else if (in_passing(ps, c, &p)) {
			continue;
		} else if (c >= 0x40) {
			ps->seq.final = c;
			begin_string(ps, false);
		} else if (!parameter(ps, c)) {
			swallow(ps);
		}
	}
	return p;
}

static void
grow_string(struct parser *ps, size_t need)
{
	size_t cap = ps->string_cap ? ps->string_cap : 64;

	while (cap < need)
		cap *= 2;
	if (cap == ps->string_cap)
		return;
	ps->string = xrealloc(ps->string, cap, 1);
	ps->string_cap = cap;
}

/* The present maximum: a C2 at its end may belong to U+009C. */
static size_t
string_max(const struct parser *ps)
{
	return SEQ_STRING_MAX + (size_t)ps->lead_c2;
}

static void
put_string(struct parser *ps, const uint8_t *p, size_t len)
{
	if (len == 0 || ps->overflow)
		return;
	if (ps->string_len + len > string_max(ps)) {
		ps->overflow = true;
		return;
	}
	grow_string(ps, ps->string_len + len + 1);
	memcpy(ps->string + ps->string_len, p, len);
	ps->string_len += len;
}

int
parser_set_string(struct parser *ps, const void *p, size_t len)
{
	if (len > string_max(ps))
		return -EINVAL;
	ps->string_len = 0;
	put_string(ps, p, len);
	return 0;
}

/* OSC begins with its number, up to ';'.  Others are ignored. */
static bool
split_osc(struct seq *s)
{
	uint32_t number = 0;
	size_t i = 0;

	while (i < s->len && s->str[i] >= '0' && s->str[i] <= '9') {
		number = number * 10 + (uint32_t)(s->str[i++] - '0');
		if (number > SEQ_ARG_MAX)
			return false;
	}
	if (i == 0 || (i < s->len && s->str[i] != ';'))
		return false;
	s->args[0] = (uint16_t)number;
	if (i < s->len)
		i++;
	s->str += i;
	s->len -= i;
	return true;
}

/* The string is complete. */
static void
end_string(struct parser *ps, bool bel)
{
	struct seq *s = &ps->seq;

	ps->state = PARSER_GROUND;
	s->bel = bel;
	if (!ps->overflow) {
		grow_string(ps, ps->string_len + 1);
		ps->string[ps->string_len] = '\0';
		s->str = ps->string;
		s->len = ps->string_len;
		if (!ps->is_osc)
			ps->ops->dcs(ps->arg, s);
		else if (split_osc(s))
			ps->ops->osc(ps->arg, s);
	}
	drop_string(ps);
}

static void
abort_string(struct parser *ps)
{
	ps->state = PARSER_GROUND;
	drop_string(ps);
}

enum string_end { STRING_GOES_ON, STRING_ENDS, STRING_ABORTS };

/*
 * A byte of a string that is not data.  '\' must follow ESC, and U+009C is C2
 * 9C; both may be split over two chunks.
 */
static enum string_end
string_byte(struct parser *ps, uint8_t c, const uint8_t **p)
{
	if (ps->escaped) {
		ps->escaped = false;
		if (c == '\\')
			return STRING_ENDS;
		--*p;
		abort_string(ps);
		begin(ps, PARSER_ESC);
		return STRING_GOES_ON;
	}
	if (c == C0_ESC)
		ps->escaped = true;
	else if (c == C0_CAN || c == C0_SUB)
		return STRING_ABORTS;
	return STRING_GOES_ON;
}

/* True if c is data; U+009C takes two bytes. */
static bool
is_data(struct parser *ps, uint8_t c)
{
	return c >= 0x20 && c != C0_DEL && !ps->escaped &&
	    !(ps->lead_c2 && c == C1_ST);
}

/* The next byte is no 9C: the C2 before it was data. */
static void
keep_c2(struct parser *ps)
{
	ps->lead_c2 = false;
	if (ps->string_len > SEQ_STRING_MAX)
		ps->overflow = true;
}

static const uint8_t *
string(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_STRING) {
		const uint8_t *run = p;
		while (p < end && is_data(ps, *p))
			ps->lead_c2 = *p++ == 0xc2;
		put_string(ps, run, (size_t)(p - run));
		if (p == end)
			break;
		uint8_t c = *p++;
		if (ps->lead_c2 && c == C1_ST) {
			ps->string_len -= !ps->overflow;
			end_string(ps, false);
			break;
		}
		keep_c2(ps);
		if (c == C0_BEL && ps->is_osc && !ps->escaped) {
			end_string(ps, true);
			break;
		}
		enum string_end e = string_byte(ps, c, &p);
		if (e == STRING_ENDS)
			end_string(ps, false);
		else if (e == STRING_ABORTS)
			abort_string(ps);
	}
	return p;
}

static const uint8_t *
swallowing(struct parser *ps, const uint8_t *p, const uint8_t *end)
{
	while (p < end && ps->state == PARSER_SWALLOW) {
		uint8_t c = *p++;
		if (ps->lead_c2 && c == C1_ST) {
			ps->state = PARSER_GROUND;
			break;
		}
		ps->lead_c2 = c == 0xc2;
		if (string_byte(ps, c, &p) != STRING_GOES_ON)
			ps->state = PARSER_GROUND;
	}
	return p;
}

static state_fn *const states[PARSER_STATES] = {
	[PARSER_GROUND] = ground,
	[PARSER_ESC] = escape,
	[PARSER_CSI] = csi,
	[PARSER_CSI_IGNORE] = csi_ignore,
	[PARSER_DCS] = dcs,
	[PARSER_STRING] = string,
	[PARSER_SWALLOW] = swallowing,
};

size_t
parser_feed(struct parser *ps, const uint8_t *p, size_t len)
{
	const uint8_t *start = p, *end = p + len;

	ps->stop = false;
	while (p < end && !ps->stop)
		p = states[ps->state](ps, p, end);
	return (size_t)(p - start);
}
