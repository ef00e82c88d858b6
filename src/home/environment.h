#ifndef TEND_HOME_ENVIRONMENT_H
#define TEND_HOME_ENVIRONMENT_H

struct error;

/*
 * The environment of a program in a session.  It is `from` without the
 * variables that describe the surrounding terminal or login, with those of
 * tend's terminal (docs/terminal.md), and then the settings, which take
 * precedence: KEY=VALUE, or KEY= for an empty value.  NULL ends the settings;
 * NULL means none.  Free it with mem_free_list.  Returns NULL and an
 * error if a setting is malformed.  Pure.
 */
char **environment_create(char *const *from, const char *const *settings,
    struct error *err);

#endif
