#include "vt/mode.h"

#include "vt/handlers.h"
#include "vt/state.h"

static mode_fn mode_redraw, mode_origin, mode_mouse, mode_mouse_format,
    mode_margins, mode_alt, mode_save_1048, mode_alt_1049, mode_sync;

const struct mode mode_table[MODE_COUNT] = {
#define MODE(id, private, number, initially, on_change, way, what) \
	[MODE_##id] = { #id, private, number, initially, on_change, what },
#include "vt/mode.def"
#undef MODE
};

#define BIT(id) (1ull << MODE_##id)
#define MOUSE_BITS \
	(BIT(X10_MOUSE) | BIT(MOUSE_NORMAL) | BIT(MOUSE_BUTTON) | \
	    BIT(MOUSE_ANY))
#define FORMAT_BITS \
	(BIT(MOUSE_UTF8) | BIT(MOUSE_SGR) | BIT(MOUSE_URXVT) | \
	    BIT(MOUSE_PIXELS))
#define ALT_BITS (BIT(ALT_47) | BIT(ALT_1047) | BIT(ALT_1049))

enum mode_id
mode_find(bool private, unsigned number)
{
	for (unsigned id = 0; id < MODE_COUNT; id++)
		if (mode_table[id].number == number &&
		    mode_table[id].private == private)
			return (enum mode_id)id;
	return MODE_COUNT;
}

uint64_t
mode_initial(void)
{
	uint64_t bits = 0;

	for (unsigned id = 0; id < MODE_COUNT; id++)
		bits |= (uint64_t)mode_table[id].initially << id;
	return bits;
}

void
mode_set(struct vt *vt, enum mode_id id, bool on)
{
	bool was = vt_mode(vt, id);

	if (id == MODE_DECLRMM && vt->level < 4)
		on = false;
	vt->modes &= ~(1ull << id);
	vt->modes |= (uint64_t)on << id;
	/* Without a begun update, there is none to end. */
	if (id == MODE_SYNC && was == on)
		return;
	if (mode_table[id].on_change != NULL)
		mode_table[id].on_change(vt, id, on);
}

static void
mode_redraw(struct vt *vt, enum mode_id id, bool on)
{
	(void)id;
	(void)on;
	vt_touch(vt);
}

static void
mode_origin(struct vt *vt, enum mode_id id, bool on)
{
	(void)id;
	(void)on;
	vt_home(vt);
}

/*
 * The mouse modes exclude one another; resetting any of them turns the mouse
 * off.
 */
static void
mode_mouse(struct vt *vt, enum mode_id id, bool on)
{
	vt->modes &= ~MOUSE_BITS;
	vt->modes |= (uint64_t)on << id;
}

static void
mode_mouse_format(struct vt *vt, enum mode_id id, bool on)
{
	vt->modes &= ~FORMAT_BITS;
	vt->modes |= (uint64_t)on << id;
}

static void
mode_margins(struct vt *vt, enum mode_id id, bool on)
{
	(void)id;
	if (!on)
		for (unsigned i = 0; i < 2; i++)
			if (screen_exists(&vt->screens[i])) {
				vt->screens[i].left = 0;
				vt->screens[i]
				    .right = (uint16_t)(vt->screens[i].cols -
				    1);
			}
	vt_check_wait(vt);
}

/* Three modes share one state: which screen is shown. */
static void
mode_alt(struct vt *vt, enum mode_id id, bool on)
{
	bool leaves = !on && vt_on_alt(vt);

	/* Here xterm clears the screen and drops a pending wrap. */
	if (id == MODE_ALT_1049 ? on : id == MODE_ALT_1047 && leaves)
		vt->cursor.pending = false;
	vt->modes &= ~ALT_BITS;
	if (on) {
		vt->modes |= ALT_BITS;
		vt_enter_alt(vt);
	} else {
		vt_leave_alt(vt);
	}
}

static void
mode_save_1048(struct vt *vt, enum mode_id id, bool on)
{
	(void)id;
	if (on)
		vt_save_cursor(vt);
	else
		vt_restore_cursor(vt);
}

static void
mode_alt_1049(struct vt *vt, enum mode_id id, bool on)
{
	if (on)
		vt_save_cursor(vt);
	mode_alt(vt, id, on);
	if (on)
		screen_clear(vt->screen, vt_blank(vt));
	else
		vt_restore_cursor(vt);
}

static void
mode_sync(struct vt *vt, enum mode_id id, bool on)
{
	(void)id;
	if (on)
		return;
	vt_publish(vt);
	parser_stop(&vt->parser);
}

static void
set_modes(struct vt *vt, const struct seq *seq, bool private, bool on)
{
	for (unsigned i = 0; i < seq->nargs; i++) {
		enum mode_id id = mode_find(private, seq->args[i]);
		if (id != MODE_COUNT)
			mode_set(vt, id, on);
	}
}

void
csi_sm(struct vt *vt, const struct seq *seq)
{
	set_modes(vt, seq, false, true);
}

void
csi_rm(struct vt *vt, const struct seq *seq)
{
	set_modes(vt, seq, false, false);
}

void
csi_decset(struct vt *vt, const struct seq *seq)
{
	set_modes(vt, seq, true, true);
}

void
csi_decrst(struct vt *vt, const struct seq *seq)
{
	set_modes(vt, seq, true, false);
}

/* Saving the shown screen or a synchronized update makes no sense. */
static enum mode_id
find_saveable(unsigned number)
{
	enum mode_id id = mode_find(true, number);

	if (id == MODE_COUNT || id == MODE_SYNC || id == MODE_SAVE_1048 ||
	    (ALT_BITS >> id & 1))
		return MODE_COUNT;
	return id;
}

void
csi_xtsave(struct vt *vt, const struct seq *seq)
{
	for (unsigned i = 0; i < seq->nargs; i++) {
		enum mode_id id = find_saveable(seq->args[i]);
		if (id == MODE_COUNT)
			continue;
		vt->saved_modes &= ~(1ull << id);
		vt->saved_modes |= (uint64_t)vt_mode(vt, id) << id;
	}
}

void
csi_xtrestore(struct vt *vt, const struct seq *seq)
{
	for (unsigned i = 0; i < seq->nargs; i++) {
		enum mode_id id = find_saveable(seq->args[i]);
		if (id == MODE_COUNT)
			continue;
		bool on = vt->saved_modes >> id & 1;
		/*
		 * Restoring an unchanged mode must not move the cursor or
		 * clear.
		 */
		if (on != vt_mode(vt, id))
			mode_set(vt, id, on);
	}
}
