#ifndef TEND_HUB_CERTIFICATE_H
#define TEND_HUB_CERTIFICATE_H

#include <limits.h>
#include <stddef.h>

struct error;
struct home;
struct hub_options;
struct tls_context;

/*
 * The certificate of the hub and its key, from the option --tls:
 *
 *	self		HOME/hub-tls/cert.pem and key.pem, mode 0600 in a
 *			directory of mode 0700.  They are made once and used
 *			until they expire; then they are made again.
 *	CERT:KEY	files of the user, in PEM; CERT may have a chain.  A key
 *			that everybody can read is refused.
 *
 * NULL and err on failure: EINVAL for a wrong option, EBADMSG for a file that
 * cannot be used.
 */
#define CERTIFICATE_DIR "hub-tls"

struct tls_context *certificate_open(const struct home *home,
    const struct hub_options *o, struct error *err);

/*
 * The directories outside the home that the hub must be able to read to open the
 * certificate again, which a renewal replaces: those of CERT and KEY, and of the
 * files to which they are links.  A directory with the home of tend or of its
 * user in it is left out: the hub would read too much.
 */
#define CERTIFICATE_DIRS 4
size_t certificate_dirs(const struct home *home, const struct hub_options *o,
    char dirs[CERTIFICATE_DIRS][PATH_MAX]);

#endif
