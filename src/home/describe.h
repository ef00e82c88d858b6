#ifndef TEND_HOME_DESCRIBE_H
#define TEND_HOME_DESCRIBE_H

struct fault;
struct handle;

/*
 * Change a session's name or labels.  The host makes the change; for an ended
 * session the caller writes session.json itself.  *result is the session object
 * as JSON text, which the caller frees.
 */

/* Rename the session. */
int describe_rename(struct handle *h, const char *name, char **result,
    struct fault *f);

/* Set labels (KEY=VALUE) or remove them (KEY=); NULL ends the list. */
int describe_label(struct handle *h, const char *const *labels, char **result,
    struct fault *f);

#endif
