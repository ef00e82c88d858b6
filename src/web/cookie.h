#ifndef TEND_WEB_COOKIE_H
#define TEND_WEB_COOKIE_H

#include <stdbool.h>
#include <stddef.h>

struct http_request;

/*
 * The cookie of a browser that has logged in.  Scripts cannot read it, and
 * other sites cannot cause requests with it.  Browsers send it to every port of
 * a host, so its name has the id of its server: two servers on one host do not
 * replace each other's.  Under TLS the name begins with __Host-, so that no other
 * host of the domain can set it.
 */
#define COOKIE_NAME_SIZE 64
#define COOKIE_SIZE 400

/* The name; `server` is the server's id, of letters and digits. */
void cookie_name(char out[COOKIE_NAME_SIZE], const char *server, bool tls);

/* Copy the value that the request has; false if there is none, or two. */
bool cookie_read(const struct http_request *r, const char *name, char *out,
    size_t size);

/* The value of Set-Cookie; max_age_s 0 removes it. */
void cookie_write(char out[COOKIE_SIZE], const char *name, const char *value,
    bool tls, long max_age_s);

#endif
