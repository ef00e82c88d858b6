#ifndef TEND_VT_MODE_ID_H
#define TEND_VT_MODE_ID_H

/* The modes of mode.def, as bits of vt->modes. */
enum mode_id {
#define MODE(id, ...) MODE_##id,
#include "vt/mode.def"
#undef MODE
	MODE_COUNT
};

#endif
