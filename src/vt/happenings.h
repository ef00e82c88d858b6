#ifndef TEND_VT_HAPPENINGS_H
#define TEND_VT_HAPPENINGS_H

#include <stdbool.h>
#include <stdint.h>

struct vt_event;

/*
 * The events of the engine that a wait can ask for, each with the last time it
 * happened.  A host notes them live, and a replay from the log; so a new row is
 * known wherever conditions are tested.
 *
 *	(NAME, type, number)	number of struct vt_event, or ANY
 */
#define HAPPENINGS(H, ANY) H(DONE, VT_EVENT_MARK, 'D')

enum happening_kind {
#define HAPPENING_ID(NAME, type, number) HAPPENING_##NAME,
	HAPPENINGS(HAPPENING_ID, )
#undef HAPPENING_ID
	    HAPPENING_KINDS
};

struct happening {
	uint64_t seq; /* of the event of the log; 0: it has not happened */
	int value;    /* of struct vt_event; -1: unknown */
};

struct happenings {
	struct happening last[HAPPENING_KINDS];
	/* In output whose seq is not known yet: */
	bool fresh[HAPPENING_KINDS];
	int value[HAPPENING_KINDS];
};

void happenings_init(struct happenings *h);

/* Called from inside the engine.  happenings_number gives the event its seq. */
void happenings_note(struct happenings *h, const struct vt_event *ev);

/* All output so far belongs to this event of the log or to earlier ones. */
void happenings_number(struct happenings *h, uint64_t seq);

/* Take what the other one knows and this one has not seen. */
void happenings_learn(struct happenings *h, const struct happenings *from);

#endif
