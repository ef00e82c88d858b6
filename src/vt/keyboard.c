/* Keyboard settings of a program: kitty's protocol, modifyOtherKeys. */
#include <string.h>

#include "vt/handlers.h"
#include "vt/mode.h"
#include "vt/state.h"

#define KITTY_FLAGS 31

static uint8_t *
flags(struct vt *vt)
{
	unsigned which = vt_on_alt(vt);

	return &vt->keyboard.kitty[which][vt->keyboard.kitty_depth[which]];
}

/* A full stack drops its oldest entry. */
void
csi_kitty_push(struct vt *vt, const struct seq *seq)
{
	unsigned which = vt_on_alt(vt);
	uint8_t *stack = vt->keyboard.kitty[which];

	if (vt->keyboard.kitty_depth[which] == KITTY_STACK_MAX - 1)
		memmove(stack, stack + 1, KITTY_STACK_MAX - 1);
	else
		vt->keyboard.kitty_depth[which]++;
	*flags(vt) = seq->args[0] & KITTY_FLAGS;
}

void
csi_kitty_pop(struct vt *vt, const struct seq *seq)
{
	unsigned which = vt_on_alt(vt);
	uint8_t *depth = &vt->keyboard.kitty_depth[which];
	unsigned n = seq_arg(seq, 0, 1);

	if (n > *depth) {
		*depth = 0;
		vt->keyboard.kitty[which][0] = 0;
		return;
	}
	*depth = (uint8_t)(*depth - n);
}

void
csi_kitty_set(struct vt *vt, const struct seq *seq)
{
	uint8_t bits = seq->args[0] & KITTY_FLAGS;

	switch (seq_arg(seq, 1, 1)) {
	case 1:
		*flags(vt) = bits;
		break;
	case 2:
		*flags(vt) |= bits;
		break;
	case 3:
		*flags(vt) &= (uint8_t)~bits;
		break;
	}
}

void
csi_kitty_query(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt_reply(vt, "\033[?%uu", *flags(vt));
}

/* Resource 4 of XTMODKEYS; without a value it returns to its default. */
void
csi_xtmodkeys(struct vt *vt, const struct seq *seq)
{
	unsigned value = seq->nargs > 1 ? seq->args[1] : 0;

	if (seq->args[0] == 4 && value <= 2)
		vt->keyboard.modify_other_keys = (uint8_t)value;
	else if (seq->args[0] == 0 && seq->nargs == 1)
		vt->keyboard.modify_other_keys = 0;
}

void
csi_xtmodkeys_off(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 4)
		vt->keyboard.modify_other_keys = 0;
}

void
csi_xtfmtkeys(struct vt *vt, const struct seq *seq)
{
	unsigned value = seq->nargs > 1 ? seq->args[1] : 0;

	if (seq->args[0] == 4 && value <= 1)
		vt->keyboard.format_other_keys = (uint8_t)value;
}

void
csi_xtqmodkeys(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 4)
		vt_reply(vt, "\033[>4;%um", vt->keyboard.modify_other_keys);
}

void
esc_deckpam(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	mode_set(vt, MODE_DECNKM, true);
}

void
esc_deckpnm(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	mode_set(vt, MODE_DECNKM, false);
}
