#ifndef TEND_CMD_LINE_SLURP_H
#define TEND_CMD_LINE_SLURP_H

struct buf;
struct error;

/*
 * Append all of a file, or of standard input when path is "-", to `out`, as
 * far as that may grow.  0, or a negative errno and what to do: -EMSGSIZE when
 * there is more.
 */
int slurp(const char *path, struct buf *out, struct error *err);

#endif
