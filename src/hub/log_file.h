#ifndef TEND_HUB_LOG_FILE_H
#define TEND_HUB_LOG_FILE_H

struct error;
struct home;
struct log;

/*
 * HOME/hub.log.  Limit: at LOG_FILE_MAX bytes it becomes hub.log.1, which
 * replaces an older one, and a new file begins.  So both together have at most
 * a little more than twice that.
 */
#define LOG_FILE_MAX (4u << 20)

/* Open the file for this log; 0, or -errno and err. */
int log_file_open(struct log *log, const struct home *home, struct error *err);

/* Begin a new file at the limit.  Call it after a line that may be repeated. */
void log_file_limit(struct log *log, const struct home *home);

#endif
