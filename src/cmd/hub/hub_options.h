#ifndef TEND_CMD_HUB_HUB_OPTIONS_H
#define TEND_CMD_HUB_HUB_OPTIONS_H

#include "cmd/line/opt.h"

struct config;
struct error;

/*
 * The options with which a hub serves: those of `tend hub start`, else the
 * settings of [hub].
 */
struct hub_options {
	struct opt_list listen, host;
	const char *tls, *proxy_header, *proxy_from;
};

/*
 * The arguments for tend-hub, NULL at the end: texts of its own, freed with
 * hub_options_free.  Paths become absolute, because the hub runs in another
 * directory.  NULL and err if they cannot be right.  Without a config, only the
 * options count.
 */
char **hub_options_arguments(const struct hub_options *o,
    const struct config *config, const char *home, struct error *err);
void hub_options_free(char **argv); /* NULL is fine */

#endif
