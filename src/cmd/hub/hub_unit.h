#ifndef TEND_CMD_HUB_HUB_UNIT_H
#define TEND_CMD_HUB_HUB_UNIT_H

#include <limits.h>
#include <stdbool.h>

struct buf;
struct error;

/*
 * The systemd user unit that `tend hub install` writes, from the text that the
 * package installs (dist/systemd/tend-hub.service.in).
 */
#define HUB_UNIT "tend-hub.service"

/* Append the unit for these arguments of `tend hub start`, NULL at the end. */
int hub_unit_text(char *const *argv, struct buf *out, struct error *err);

/* Its path, in the user's configuration; -ENOENT and err: there is none. */
int hub_unit_path(char out[PATH_MAX], struct error *err);

/*
 * Write it, with the missing directories above it.  A file that tend has not
 * written stays: -EEXIST and err.
 */
int hub_unit_write(const char *path, const struct buf *text, struct error *err);

/* Have systemd read it, start the hub now and with every login. */
int hub_unit_enable(struct error *err);

/* True if the user's units run without a login. */
bool hub_unit_lingers(void);

#endif
