#ifndef TEND_CMD_ENVIRONMENT_H
#define TEND_CMD_ENVIRONMENT_H

struct error;
struct opt_list;

/*
 * The environment a program gets in a session: ours, but for what describes
 * the terminal or the login we stand in; that of tend's terminal (docs/terminal.md); and
 * then what -e said, KEY=VALUE, or KEY= for an empty one, which counts most.
 * Freed by environment_destroy.  NULL and why when -e is malformed.  Pure.
 */
char **environment_create(char *const *from, const struct opt_list *settings,
    struct error *err);
void environment_destroy(char **env);

#endif
