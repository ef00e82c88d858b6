#ifndef TEND_SESSION_INTEGRATE_H
#define TEND_SESSION_INTEGRATE_H

struct home;
struct manifest;

/*
 * A session's shell is given something to read (shell/integration.h), from
 * files in the session's own directory.  What the program is started with for
 * it, besides its command:
 */
struct integrated {
	char *args[3]; /* go behind argv[0]; ends with NULL */
	char **envp;   /* what was given, and a variable that is ours */
	char *variable;
};

/*
 * Prepare it, for a session whose directory is open as `dir`, and note in the
 * manifest which shell it is and the key of its marks.  A program that is no
 * shell, a manifest or a TEND_SHELL_INTEGRATION=off that does not want it, and
 * a disk that does not take it, get nothing: out->envp has what envp has.
 */
void integrate(struct integrated *out, struct manifest *m,
    const struct home *home, int dir, char **envp);
void integrated_finish(struct integrated *out);

#endif
