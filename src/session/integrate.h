#ifndef TEND_SESSION_INTEGRATE_H
#define TEND_SESSION_INTEGRATE_H

struct home;
struct manifest;

/*
 * Shell integration (shell/integration.h) lets a session's shell read files in
 * the session's directory.  The program is then started with these arguments
 * and this environment besides its command:
 */
struct integrated {
	char *args[3]; /* behind argv[0]; NULL-terminated */
	char **envp;   /* the given one and our variable */
	char *variable;
};

/*
 * Prepare shell integration for a session whose directory is open as `dir`.
 * The manifest gets the shell's name and the key of its marks.  Nothing
 * changes if the program is no shell, if the manifest or
 * TEND_SHELL_INTEGRATION=off turns it off, or if the files cannot be written:
 * out->envp then equals envp.
 */
void integrate(struct integrated *out, struct manifest *m,
    const struct home *home, int dir, char **envp);
void integrated_finish(struct integrated *out);

#endif
