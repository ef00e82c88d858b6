#ifndef TEND_HOME_ENVIRONMENT_H
#define TEND_HOME_ENVIRONMENT_H

struct error;

/*
 * The environment a program gets in a session: ours, but for what describes
 * the terminal or the login we stand in; that of tend's terminal (docs/terminal.md); and
 * then the settings, KEY=VALUE, or KEY= for an empty one, which count most; NULL ends them, and NULL is none.
 * Freed by environment_destroy.  NULL and why when a setting is malformed.  Pure.
 */
char **environment_create(char *const *from, const char *const *settings,
    struct error *err);
void environment_destroy(char **env);

#endif
