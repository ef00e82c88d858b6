#ifndef TEND_WEB_COOKIE_H
#define TEND_WEB_COOKIE_H

#include <stdbool.h>
#include <stddef.h>

struct http_request;

/*
 * The cookie of a browser that has logged in.  Scripts cannot read it, and
 * other sites cannot cause requests with it.  Under TLS its name begins with
 * __Host-, so that no other host of the domain can set it.
 */
#define COOKIE_SIZE 400

/* Copy the value that the request has; false if there is none, or two. */
bool cookie_read(const struct http_request *r, bool tls, char *out,
    size_t size);

/* The value of Set-Cookie; max_age_s 0 removes it. */
void cookie_write(char out[COOKIE_SIZE], const char *value, bool tls,
    long max_age_s);

#endif
