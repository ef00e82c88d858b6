/* RIS, DECSTR, DECALN. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vt/handlers.h"
#include "vt/mode.h"
#include "vt/state.h"
#include "vt/vt.h"

/* The common part of both resets. */
static void
reset_pen(struct vt *vt)
{
	vt->pen = (struct cell){ 0 };
	vt->protection = PROTECT_SELECTIVE;
	charsets_init(&vt->charsets);
	memset(&vt->last, 0, sizeof(vt->last));
}

/* As after vt_create(), except for the size and the terminal's own colours. */
void
vt_reset(struct vt *vt)
{
	vt_leave_alt(vt);
	vt->level = LEVEL_MAX;
	vt->modes = mode_initial();
	vt->saved_modes = vt->modes;
	reset_pen(vt);
	vt->cursor = (struct cursor){ 0 };
	vt_reset_saved_cursor(vt, 0);
	vt_reset_saved_cursor(vt, 1);
	memset(&vt->keyboard, 0, sizeof(vt->keyboard));
	vt->shape = CURSOR_BLOCK;
	vt_default_tabs(vt, 0);
	colours_reset(&vt->colours);
	titles_finish(&vt->titles);
	titles_init(&vt->titles);
	free(vt->cwd);
	vt->cwd = xstrdup("");
	vt_end_program(vt);
	screen_reset_margins(vt->screen);
	screen_clear(vt->screen, (struct cell){ 0 });
	history_clear(&vt->history);
	extras_finish(&vt->extras);
	clusters_finish(&vt->clusters);
	vt_touch(vt);
}

void
esc_ris(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	mode_set(vt, MODE_SYNC, false);
	vt_leave_alt(vt);
	vt_lose(vt, VT_LOSS_ERASED, 0, vt->screen->rows - 1u, 0);
	vt_lose(vt, VT_LOSS_HISTORY, 0, 0, 0);
	vt_reset(vt);
}

/* Remove the protection of all text. */
static void
unprotect(struct screen *s)
{
	for (unsigned y = 0; y < s->rows; y++) {
		struct row *row = screen_row(s, y);
		for (unsigned x = 0; x < row->used; x++)
			row->cells[x].attr &= ~(uint32_t)ATTR_PROTECTED;
		screen_touch(s, row);
	}
}

void
csi_decstr(struct vt *vt, const struct seq *seq)
{
	static const enum mode_id soft[] = { MODE_IRM, MODE_DECCKM, MODE_DECOM,
		MODE_DECAWM, MODE_DECTCEM, MODE_REVERSE_WRAP,
		MODE_REVERSE_WRAP_ANY, MODE_DECNKM, MODE_KAM };

	(void)seq;
	for (size_t i = 0; i < sizeof(soft) / sizeof(soft[0]); i++) {
		vt->modes &= ~(1ull << soft[i]);
		vt->modes |= (uint64_t)mode_table[soft[i]].initially << soft[i];
	}
	mode_set(vt, MODE_DECLRMM, false); /* on the hidden screen too */
	screen_reset_margins(vt->screen);
	reset_pen(vt);
	unprotect(&vt->screens[0]);
	if (vt_on_alt(vt))
		unprotect(&vt->screens[1]);
	vt_reset_saved_cursor(vt, vt_on_alt(vt));
	vt_check_wait(vt);
	vt->keyboard.modify_other_keys = 0;
	vt->keyboard.format_other_keys = 0;
	mode_set(vt, MODE_SYNC, false); /* otherwise nothing is shown again */
	vt_touch(vt);
}

/* 61 to 64: the terminals VT100 to VT420. */
void
csi_decscl(struct vt *vt, const struct seq *seq)
{
	unsigned level = seq->args[0] - 60u;

	if (level < 1 || level > LEVEL_MAX)
		return;
	csi_decstr(vt, seq);
	vt->level = (uint8_t)level;
	/* Below level 4 there are no side margins for a pending wrap. */
	vt->saved[0].pending = vt->saved[1].pending = false;
	vt_check_wait(vt);
}

void
esc_decaln(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;
	const struct cell e = { .ch = 'E' };

	(void)seq;
	vt->modes &= ~(1ull << MODE_DECOM);
	screen_reset_margins(s);
	vt_lose(vt, VT_LOSS_ERASED, 0, s->rows - 1u, 0);
	screen_clear(s, e);
	vt_move_to(vt, 0, 0);
}
