#ifndef TEND_HUB_LISTING_H
#define TEND_HUB_LISTING_H

#include <stdbool.h>

struct buf;
struct hub;
struct identity;

/*
 * The answer of session.list from the directory, without reading a file: as
 * session.list of the home answers for the sessions that the client may see.
 * Files of a thousand sessions take a hundred times as long.
 */
void listing_put(struct hub *hub, const struct identity *who, bool all,
    struct buf *out);

#endif
