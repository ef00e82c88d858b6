#ifndef TEND_HOME_ARTIFACT_H
#define TEND_HOME_ARTIFACT_H

#include <stddef.h>
#include <stdint.h>

struct fault;
struct handle;

/*
 * A file made from a session, such as a snapshot.  The session has an entry for
 * it in artifacts/manifest.ndjson (docs/session.md).  Either both are written or
 * neither.
 */
struct artifact {
	const char *kind;   /* "snapshot" */
	const char *format; /* "html" */
	uint64_t seq, offset;
	const char *hash; /* hash of the screen */
};

/*
 * Write the file with these bytes, replacing an existing one, and record it in
 * the handle's session.  Returns 0, or -1 and the fault; then an existing file
 * is unchanged.
 */
int artifact_save(const struct handle *h, const char *path,
    const struct artifact *a, const void *p, size_t len, struct fault *f);

#endif
