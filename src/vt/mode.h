#ifndef TEND_VT_MODE_H
#define TEND_VT_MODE_H

#include <stdbool.h>
#include <stdint.h>

#include "vt/mode_id.h"

struct vt;

/* Does what setting or resetting a mode does beyond its bit. */
typedef void mode_fn(struct vt *vt, enum mode_id id, bool on);

struct mode {
	const char *name;
	bool private;
	uint16_t number;
	bool initially;
	mode_fn *on_change;
	const char *what;
};

extern const struct mode mode_table[MODE_COUNT];

/* MODE_COUNT when there is none. */
enum mode_id mode_find(bool private, unsigned number);

/* All modes as they are after a reset. */
uint64_t mode_initial(void);

/* Set or reset one, with all that follows from it. */
void mode_set(struct vt *vt, enum mode_id id, bool on);

#endif
