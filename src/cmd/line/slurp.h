#ifndef TEND_CMD_LINE_SLURP_H
#define TEND_CMD_LINE_SLURP_H

struct buf;
struct error;

/*
 * Append a file, or standard input if path is "-", to `out`, up to its limit.
 * Returns 0, or a negative errno and an error; -EMSGSIZE if the file is too
 * large.
 */
int slurp(const char *path, struct buf *out, struct error *err);

#endif
