#include "vt/happenings.h"

#include "vt/types.h"

#define ANY -1

static const struct {
	enum vt_event_type type;
	int number;
} kinds[HAPPENING_KINDS] = {
#define ROW(NAME, type, number) [HAPPENING_##NAME] = { type, number },
	HAPPENINGS(ROW, ANY)
};

void
happenings_init(struct happenings *h)
{
	*h = (struct happenings){ 0 };
	for (unsigned i = 0; i < HAPPENING_KINDS; i++)
		h->last[i].value = -1;
}

void
happenings_note(struct happenings *h, const struct vt_event *ev)
{
	for (unsigned i = 0; i < HAPPENING_KINDS; i++) {
		if (ev->type != kinds[i].type ||
		    (kinds[i].number != ANY && ev->number != kinds[i].number))
			continue;
		h->fresh[i] = true;
		h->value[i] = ev->value;
	}
}

void
happenings_number(struct happenings *h, uint64_t seq)
{
	for (unsigned i = 0; i < HAPPENING_KINDS; i++) {
		if (h->fresh[i])
			h->last[i] = (struct happening){ seq, h->value[i] };
		h->fresh[i] = false;
	}
}

void
happenings_learn(struct happenings *h, const struct happenings *from)
{
	for (unsigned i = 0; i < HAPPENING_KINDS; i++)
		if (h->last[i].seq < from->last[i].seq)
			h->last[i] = from->last[i];
}
