#ifndef TEND_SESSION_MANIFEST_STATE_H
#define TEND_SESSION_MANIFEST_STATE_H

#include "session/manifest.h"

struct json_out;

/*
 * For the files that implement manifest.h: write the labels as the member
 * "labels" of an object.
 */
void labels_write(const struct manifest *m, struct json_out *j);

#endif
