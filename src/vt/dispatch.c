#include "vt/dispatch.h"

#include "vt/handlers.h"
#include "vt/state.h"

/*
 * Two arrays for each kind of sequence.  Private marker, intermediate and
 * final byte select a number, 0 for none, and the number selects the handler.
 * Both come from seq.def in the same order, so the compiler counts the
 * numbers.  One array of pointers would be eight times as big, and every
 * process would have to relocate it.
 */
#define INTERMEDIATES 17 /* none, and 0x20 to 0x2f */
#define INTERMEDIATE(c) ((c) == 0 ? 0 : (c)-0x20 + 1)

#define PRIVATES 5 /* none, and '<' to '?' */
#define PRIVATE(c) ((c) == 0 ? 0 : (c) - '<' + 1)

#define CSI_KEYS (PRIVATES * INTERMEDIATES * 64)
#define CSI_KEY(p, i, f) \
	((PRIVATE(p) * INTERMEDIATES + INTERMEDIATE(i)) * 64 + (f)-0x40)

enum { CSI_BASE = __COUNTER__ };
static const uint8_t csi_index[CSI_KEYS] = {
#define CSI(p, i, f, handler, ...) [CSI_KEY(p, i, f)] = __COUNTER__ - CSI_BASE,
#include "vt/seq.def"
};
static seq_fn *const csi_handlers[] = {
	NULL,
#define CSI(p, i, f, handler, ...) handler,
#include "vt/seq.def"
};

/* In seq.def a final byte of 0 stands for all without a row of their own. */
#define ESC_KEYS (INTERMEDIATES * 80)
#define ESC_KEY(i, f) (INTERMEDIATE(i) * 80 + ((f) == 0 ? 0 : (f)-0x30 + 1))

enum { ESC_BASE = __COUNTER__ };
static const uint8_t esc_index[ESC_KEYS] = {
#define ESC(i, f, handler, ...) [ESC_KEY(i, f)] = __COUNTER__ - ESC_BASE,
#include "vt/seq.def"
};
static seq_fn *const esc_handlers[] = {
	NULL,
#define ESC(i, f, handler, ...) handler,
#include "vt/seq.def"
};

enum { CONTROL_BASE = __COUNTER__ };
static const uint8_t control_index[0xa0] = {
#define C0(byte, handler, ...) [byte] = __COUNTER__ - CONTROL_BASE,
#define C1(byte, handler, ...) [byte] = __COUNTER__ - CONTROL_BASE,
#include "vt/seq.def"
};
static seq_fn *const control_handlers[] = {
	NULL,
#define C0(byte, handler, ...) handler,
#define C1(byte, handler, ...) handler,
#include "vt/seq.def"
};

static const struct {
	uint16_t number;
	seq_fn *handler;
} osc_table[] = {
#define OSC(number, handler, ...) { number, handler },
#include "vt/seq.def"
};

static const struct {
	uint8_t private, intermediate, final;
	seq_fn *handler;
} dcs_table[] = {
#define DCS(p, i, f, handler, ...) { p, i, f, handler },
#include "vt/seq.def"
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
on_ascii(void *arg, const uint8_t *p, size_t len)
{
	vt_print_ascii(arg, p, len);
}

static void
on_text(void *arg, const struct text *text)
{
	vt_print_text(arg, text);
}

/*
 * After a sequence that may have moved the cursor or changed cells, a
 * combining mark has nothing to join.  SGR and OSC do not separate a mark from
 * its character.
 */
static void
forget_last(struct vt *vt)
{
	vt->last.join = 0;
}

static void
on_control(void *arg, uint8_t code)
{
	static const struct seq none = { .nargs = 1 };
	seq_fn *handler = control_handlers[control_index[code]];

	if (handler != NULL)
		handler(arg, &none);
	forget_last(arg);
}

static void
on_esc(void *arg, const struct seq *seq)
{
	unsigned row;

	if (seq->intermediate == SEQ_INTERMEDIATES)
		return;
	row = esc_index[ESC_KEY(seq->intermediate, seq->final)];
	if (row == 0)
		row = esc_index[ESC_KEY(seq->intermediate, 0)];
	if (row != 0)
		esc_handlers[row](arg, seq);
	forget_last(arg);
}

static void
on_csi(void *arg, const struct seq *seq)
{
	seq_fn *handler;

	if (seq->intermediate == SEQ_INTERMEDIATES)
		return;
	handler = csi_handlers[csi_index[CSI_KEY(seq->private,
	    seq->intermediate, seq->final)]];
	if (handler == csi_sgr) {
		handler(arg, seq);
		return;
	}
	/* Only SGR has sub-parameters; ignore other sequences with them. */
	if (handler != NULL && seq->sub == 0)
		handler(arg, seq);
	if (handler != csi_rep)
		forget_last(arg);
}

static void
on_osc(void *arg, const struct seq *seq)
{
	for (size_t i = 0; i < COUNT(osc_table); i++)
		if (osc_table[i].number == seq->args[0]) {
			osc_table[i].handler(arg, seq);
			return;
		}
}

static void
on_dcs(void *arg, const struct seq *seq)
{
	for (size_t i = 0; i < COUNT(dcs_table); i++)
		if (dcs_table[i].private == seq->private &&
		    dcs_table[i].intermediate == seq->intermediate &&
		    dcs_table[i].final == seq->final) {
			dcs_table[i].handler(arg, seq);
			return;
		}
}

const struct parser_ops dispatch_ops = {
	.ascii = on_ascii,
	.text = on_text,
	.control = on_control,
	.esc = on_esc,
	.csi = on_csi,
	.osc = on_osc,
	.dcs = on_dcs,
};
