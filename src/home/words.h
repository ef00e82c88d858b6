#ifndef TEND_HOME_WORDS_H
#define TEND_HOME_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct manifest;

/* Text about sessions for people.  Pure. */
#define WORDS_MAX 160

/*
 * A session's outcome, to follow its name: "is running", "exited with 3", "was
 * ended by SIGKILL", "is lost: …".
 */
void words_outcome(const struct manifest *m, char *out, size_t size);

/* The status in a listing: "running", "exited 3", "stopped", "lost". */
void words_status(const struct manifest *m, char *out, size_t size);

/* A duration in one unit: 45s, 12m, 3h, 9d. */
void words_age(int64_t ms, char *out, size_t size);

/* 2026-11-15T23:51:55.123Z, for ms since 1970. */
#define WORDS_TIME_MAX 32
void words_time(int64_t ms, char out[WORDS_TIME_MAX]);

/* Bytes, in a unit that leaves at most four digits: 512 B, 1.5 MiB. */
void words_bytes(uint64_t n, char *out, size_t size);

/* Quote a word as a shell does, only if necessary. */
void words_quote(const char *word, struct buf *out);

/* Append any text, with control characters escaped. */
void words_put_safe(struct buf *out, const char *s);

/* The same for several lines; newlines are kept. */
void words_put_lines(struct buf *out, const char *s);

/* The command as it could be typed, with control characters escaped. */
void words_command(char *const *argv, struct buf *out);

/* 15 to "SIGTERM"; "SIGTERM", "TERM", "term" or "15" to 15, or -1. */
void words_signal(int signo, char *out, size_t size);
int words_signal_number(const char *s);

#endif
