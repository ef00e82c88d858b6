/* SGR: the pen's colours and attributes. */
#include "vt/handlers.h"
#include "vt/state.h"

enum sgr_op {
	SGR_NONE,
	SGR_RESET,
	SGR_SET,       /* value: attributes to set */
	SGR_CLEAR,     /* value: attributes to clear */
	SGR_UNDERLINE, /* value: enum underline; a sub-parameter overrides it */
	SGR_FG,        /* value: palette colour */
	SGR_BG,
	SGR_FG_DEFAULT,
	SGR_BG_DEFAULT,
	SGR_UL_DEFAULT,
	SGR_FG_EXTENDED, /* 38, 48, 58: a colour follows */
	SGR_BG_EXTENDED,
	SGR_UL_EXTENDED,
};

struct sgr {
	uint8_t op;
	uint16_t value;
};

static const struct sgr table[] = {
#define SGR(number, op, value, what) [number] = { SGR_##op, value },
#define SGR8(first, op, value, what) \
	[first] = { SGR_##op, value }, [first + 1] = { SGR_##op, value + 1 }, \
	[first + 2] = { SGR_##op, value + 2 }, \
	[first + 3] = { SGR_##op, value + 3 }, \
	[first + 4] = { SGR_##op, value + 4 }, \
	[first + 5] = { SGR_##op, value + 5 }, \
	[first + 6] = { SGR_##op, value + 6 }, \
	[first + 7] = { SGR_##op, value + 7 },
#include "vt/sgr.def"
#undef SGR
#undef SGR8
};

static bool
is_sub(const struct seq *seq, unsigned i)
{
	return i < seq->nargs && seq->sub >> i & 1;
}

/* The number of sub-parameters after the i-th parameter. */
static unsigned
sub_count(const struct seq *seq, unsigned i)
{
	unsigned n = 0;

	while (is_sub(seq, i + 1 + n))
		n++;
	return n;
}

/* A number above 255 is no colour: return false and change nothing. */
static bool
indexed(const uint16_t *v, uint32_t *colour)
{
	if (v[0] > 255)
		return false;
	*colour = COLOUR_PALETTE | v[0];
	return true;
}

static bool
rgb(const uint16_t *v, uint32_t *colour)
{
	if (v[0] > 255 || v[1] > 255 || v[2] > 255)
		return false;
	*colour = COLOUR_RGB | (uint32_t)v[0] << 16 | (uint32_t)v[1] << 8 |
	    v[2];
	return true;
}

/*
 * 38:5:n, 38:2:r:g:b or 38:2:space:r:g:b, with n sub-parameters from i + 1
 * on.  False for other forms.
 */
static bool
colour_of_subs(const struct seq *seq, unsigned i, unsigned n, uint32_t *colour)
{
	const uint16_t *v = &seq->args[i + 1];

	if (v[0] == 5 && n >= 2)
		return indexed(v + 1, colour);
	if (v[0] == 2 && n >= 5)
		return rgb(v + 2, colour);
	return v[0] == 2 && n == 4 && rgb(v + 1, colour);
}

/*
 * 38;5;n or 38;2;r;g;b.  Returns the number of parameters used: all the rest
 * if some are missing, and one for another kind of colour, as xterm does.
 */
static unsigned
colour_of_args(const struct seq *seq, unsigned i, bool *ok, uint32_t *colour)
{
	const uint16_t *v = &seq->args[i + 1];
	unsigned left = seq->nargs - i - 1u;

	*ok = false;
	if (left >= 2 && v[0] == 5) {
		*ok = indexed(v + 1, colour);
		return 2;
	}
	if (left >= 4 && v[0] == 2) {
		*ok = rgb(v + 1, colour);
		return 4;
	}
	return left == 0 || v[0] == 5 || v[0] == 2 ? left : 1;
}

static void
set_underline_colour(struct vt *vt, uint32_t colour)
{
	const struct extra *e = extras_get(&vt->extras, cell_extra(&vt->pen));

	if (e == NULL)
		vt_set_pen_extra(vt, colour, NULL, NULL);
	else
		vt_set_pen_extra(vt, colour, e->uri, e->id);
}

static void
set_underline(struct vt *vt, enum underline style)
{
	vt->pen.attr &= ~(uint32_t)ATTR_UNDERLINE;
	vt->pen.attr |= (uint32_t)style << ATTR_UNDERLINE_SHIFT;
}

/*
 * Reset everything except the link and the protection, which SGR does not set.
 */
static void
reset_pen(struct vt *vt)
{
	vt->pen.fg = vt->pen.bg = COLOUR_DEFAULT;
	vt->pen.attr &= ~(uint32_t)ATTR_SGR;
	if (cell_extra(&vt->pen) != 0)
		set_underline_colour(vt, COLOUR_DEFAULT);
}

static void
set_colour(struct vt *vt, enum sgr_op op, uint32_t colour)
{
	if (op == SGR_FG_EXTENDED)
		vt->pen.fg = colour;
	else if (op == SGR_BG_EXTENDED)
		vt->pen.bg = colour;
	else
		set_underline_colour(vt, colour);
}

/*
 * 38, 48, 58 at i; returns the number of further parameters that belong to it.
 */
static unsigned
extended(struct vt *vt, const struct seq *seq, unsigned i, enum sgr_op op)
{
	unsigned subs = sub_count(seq, i);
	uint32_t colour = 0;
	bool ok;

	if (subs > 0) {
		ok = colour_of_subs(seq, i, subs, &colour);
	} else {
		subs = colour_of_args(seq, i, &ok, &colour);
	}
	if (ok)
		set_colour(vt, op, colour);
	return subs;
}

static void
underline(struct vt *vt, const struct seq *seq, unsigned i, unsigned value)
{
	if (is_sub(seq, i + 1))
		value = seq->args[i + 1] <= UNDERLINE_DASHED ?
		    seq->args[i + 1] :
		    UNDERLINE_SINGLE;
	set_underline(vt, (enum underline)value);
}

static void
simple(struct vt *vt, struct sgr sgr)
{
	switch ((enum sgr_op)sgr.op) {
	case SGR_RESET:
		reset_pen(vt);
		break;
	case SGR_SET:
		vt->pen.attr |= sgr.value;
		break;
	case SGR_CLEAR:
		vt->pen.attr &= ~(uint32_t)sgr.value;
		break;
	case SGR_FG:
		vt->pen.fg = COLOUR_PALETTE | sgr.value;
		break;
	case SGR_BG:
		vt->pen.bg = COLOUR_PALETTE | sgr.value;
		break;
	case SGR_FG_DEFAULT:
		vt->pen.fg = COLOUR_DEFAULT;
		break;
	case SGR_BG_DEFAULT:
		vt->pen.bg = COLOUR_DEFAULT;
		break;
	case SGR_UL_DEFAULT:
		set_underline_colour(vt, COLOUR_DEFAULT);
		break;
	default:
		break;
	}
}

void
csi_sgr(struct vt *vt, const struct seq *seq)
{
	for (unsigned i = 0; i < seq->nargs; i++) {
		unsigned code = seq->args[i];
		struct sgr sgr = { SGR_NONE, 0 };
		if (code < sizeof(table) / sizeof(table[0]))
			sgr = table[code];
		if (sgr.op >= SGR_FG_EXTENDED) {
			i += extended(vt, seq, i, (enum sgr_op)sgr.op);
			continue;
		}
		if (sgr.op == SGR_UNDERLINE)
			underline(vt, seq, i, sgr.value);
		else
			simple(vt, sgr);
		i += sub_count(seq, i);
	}
}
