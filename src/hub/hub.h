#ifndef TEND_HUB_HUB_H
#define TEND_HUB_HUB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/id.h"
#include "base/list.h"
#include "base/log.h"
#include "hub/request_counts.h"
#include "session/home.h"
#include "web/gate.h"

struct access;
struct audit;
struct calls;
struct error;
struct launcher;
struct listener;
struct log_watches;
struct loop;
struct rights;
struct store;
struct streams;
struct throttle;
struct uploads;
struct tls_context;
struct verifier;
struct watch;

/*
 * The hub of a home: it serves the home's sessions to browsers, programs and
 * other machines, and decides who may do what.  It owns nothing that a crash
 * could lose: sessions live in processes of their own.
 */
#define HUB_SOCKET "hub.sock"
#define HUB_ADDRESS "127.0.0.1:7070"
#define HUB_ADDRESSES_MAX 4
#define HUB_HOSTS_MAX 16
#define HUB_CALLS_MAX 1024 /* under way at once */

struct hub_options {
	const char *home;                      /* NULL: the default */
	const char *listen[HUB_ADDRESSES_MAX]; /* ADDR:PORT */
	unsigned n_listen;
	const char *hosts[HUB_HOSTS_MAX]; /* more names that clients may use */
	unsigned n_hosts;
	const char *tls;          /* NULL, "self", or "CERT:KEY" */
	const char *proxy_header; /* with the name of a verified user */
	const char *proxy_from;   /* the address that may send it */
	bool foreground;          /* the log goes to standard error */
	int ready_fd;             /* gets the status when ready; -1: none */
};

/* The causes of repeated log lines; each has at most one line in 10 s. */
enum hub_cause {
	HUB_NO_DESCRIPTOR,
	HUB_STRANGERS,
	HUB_AUTH_FAILED,
	HUB_STORE_FAILED,
	HUB_AUDIT_LOST,
	HUB_DENIALS,
	HUB_NOT_WATCHED,
	HUB_OVERFLOW,
	HUB_NO_HOME,
	HUB_CAUSES
};

struct hub {
	const struct hub_options *options;
	struct loop *loop;
	struct log log;
	struct home home;
	int lock; /* held as long as this hub runs */
	struct launcher *launcher;
	struct calls *calls;
	struct directory *directory;
	struct follow *follow;
	struct listener *listener;
	struct access *access;
	struct store *store;
	struct streams *streams;
	struct log_watches *log_watches;
	struct verifier *verifier;
	struct audit *audit;
	struct rights *rights;
	struct throttle *throttle;
	struct uploads *uploads;
	struct tls_context *tls;
	struct gate gate;        /* of TCP */
	struct gate unix_gate;   /* of hub.sock */
	char url[300];           /* of the first address */
	char fingerprint[100];   /* of the certificate; "": none */
	char *const *no_environ; /* for operations that start nothing */
	uint8_t *scratch;        /* to read into */
	struct list soon, dead;  /* connections */
	struct list later;       /* calls at the end of this turn */
	struct list reconsider;  /* hooks of hub_reconsider */
	struct list guests;      /* their long calls (access_share) */
	struct id_maker ids;
	int signals;            /* a signalfd */
	bool has_terminal;      /* whose end is SIGHUP */
	bool ready;             /* the sessions of the home are known */
	int status;             /* the exit status */
	char start[ID_SIZE];    /* differs in each run of a hub */
	int64_t started_ms;     /* CLOCK_REALTIME */
	uint64_t turns;         /* of the loop */
	uint64_t bytes_out;     /* to clients */
	size_t n_event_streams; /* server-sent events */
	struct request_counts requests;
	uint64_t auth_failures;
	int64_t noted_ms[HUB_CAUSES];
	uint64_t unnoted[HUB_CAUSES];
};

/* Call fn at the end of this turn. */
void hub_later(struct hub *hub, void (*fn)(void *arg), void *arg);

/* For the end of a turn: make these calls. */
void hub_call_later(struct hub *hub);

/*
 * Credentials or the policy have changed: every part that has asked for it ends
 * or limits what they no longer allow (B-42).  A hook may be removed at any
 * time, by list_remove of its link.
 */
struct hub_hook {
	struct list link;
	void (*fn)(void *arg);
	void *arg;
};
void hub_on_reconsider(struct hub *hub, struct hub_hook *hook);
void hub_reconsider(struct hub *hub);

/* Write a log line; repeated causes are counted and reported together. */
void hub_note(struct hub *hub, enum hub_cause cause, const char *what,
    const char *detail);

/* Count an answer, for the metrics. */
void hub_count_request(struct hub *hub, const char *label, int status);

#endif
