#ifndef TEND_HOME_DESCRIBE_H
#define TEND_HOME_DESCRIBE_H

struct fault;
struct handle;

/*
 * Change what is written about a session: its host does it, or, when it has
 * ended, the caller writes its session.json.  *result is the session object,
 * as JSON text, the caller's.
 */

/* Give it another name. */
int describe_rename(struct handle *h, const char *name, char **result,
    struct fault *f);

/* Set labels, KEY=VALUE, or remove them, KEY=; NULL ends the list. */
int describe_label(struct handle *h, const char *const *labels, char **result,
    struct fault *f);

#endif
