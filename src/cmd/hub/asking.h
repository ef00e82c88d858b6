#ifndef TEND_CMD_HUB_ASKING_H
#define TEND_CMD_HUB_ASKING_H

#include <jansson.h>
#include <stddef.h>

struct buf;
struct call;

/* The common part of the commands whose operations only a hub has. */

/*
 * Call an operation of the home's hub.  The arguments become the function's.
 * Returns 0 and the result, which the caller frees, or the exit status after
 * reporting the failure.
 */
int asking_hub(struct call *call, const char *op, json_t *args,
    json_t **result);

/* Answer with JSON, as --json wants it. */
int asking_json(struct call *call, const json_t *result);

/* Add an argument, unless the text is NULL. */
void asking_text(json_t *args, const char *name, const char *text);

/* The same for words with commas between them. */
void asking_words(json_t *args, const char *name, const char *text);

/* The member as a text for people: "-" for none, a list with commas. */
const char *asking_shown(const json_t *object, const char *name, char *out,
    size_t size);

/* Append a field of a table, escaped; width 0 is the last one. */
void asking_field(struct buf *out, const char *text, unsigned width);

/*
 * The actions on a kind of credential, "token" or "share", whose operations are
 * those with its name.  Each returns the exit status.
 *
 * create takes the arguments and prints a member of the result.  The note before
 * its end is for people: "it ends at".  list prints a table.
 */
int asking_create(struct call *call, const char *kind, json_t *args,
    const char *member, const char *note);
int asking_list(struct call *call, const char *kind);
int asking_revoke(struct call *call, const char *kind);

#endif
