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

/* Print tokens or links as a table. */
int asking_credentials(struct call *call, const json_t *list);

/* `tend token revoke ID` and the like. */
int asking_revoke(struct call *call, const char *op);

#endif
