#ifndef TEND_VT_COLOUR_NAME_H
#define TEND_VT_COLOUR_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parse a colour to 0xrrggbb, in a form that XParseColor understands:
 * rgb:h/h/h, #rgb, rgbi:r/g/b or a name of X11.  False for other forms.  Other
 * colour spaces (CIEXYZ: and so on) are not supported, because their meaning
 * depends on a monitor.
 */
bool colour_name_parse(const char *p, size_t len, uint32_t *out);

#endif
