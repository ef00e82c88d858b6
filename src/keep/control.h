#ifndef TEND_KEEP_CONTROL_H
#define TEND_KEEP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The messages between keeper and host, and the descriptors that a host is
 * started with: docs/protocol.md.  The keeper outlives many hosts, so this may
 * only grow: new messages at the end, new fields at the end of a message.
 */
#define CONTROL_VERSION 2
#define CONTROL_UPGRADES 2 /* from this version on a keeper can change hosts */

enum control_fd {
	CONTROL_FD = 3,
	CONTROL_LISTEN,
	CONTROL_MASTER,
	CONTROL_RING,
	CONTROL_OUTPUT, /* eventfd, keeper to host */
	CONTROL_ROOM,   /* eventfd, host to keeper */
	CONTROL_DIR,
	CONTROL_FDS_END,
};

enum control_type {
	CONTROL_HELLO = 1,
	CONTROL_EXIT,
	CONTROL_CLOSED,
	CONTROL_LISTENING,
	CONTROL_READY,
	CONTROL_ACK,
	CONTROL_DONE,
	CONTROL_LINGER,
	CONTROL_UPGRADE,
	CONTROL_LEAVE,
	CONTROL_STAY,
	CONTROL_FAILED,
	CONTROL_RESTART, /* with the directory to start in */
	CONTROL_STARTED,
};

#define CONTROL_DEATHS 8

/* How an earlier host crashed. */
struct control_death {
	uint64_t engine_at; /* RING_IDLE: not in the engine */
	uint64_t head;
	uint32_t signal; /* 0: it exited */
	uint32_t count;  /* deaths so far, this one included */
};

/* The reason why there is no next host. */
enum control_failure {
	CONTROL_FAILED_SAYS = 1, /* it says so itself: `why` */
	CONTROL_FAILED_RUN,      /* it could not be run: `error` */
	CONTROL_FAILED_ENDED,    /* it ended: `error` is its wait status */
	CONTROL_FAILED_LATE,     /* it was not ready in time */
	CONTROL_FAILED_EXIT,     /* the program of the session has ended */
};
#define CONTROL_WHY_MAX 200

struct control {
	uint32_t type;
	uint32_t size;
	union {
		struct {
			uint32_t version;
			int32_t keeper_pid, child_pid;
			uint32_t hosts;   /* started before this one */
			uint32_t crashes; /* of those, how many crashed */
			uint32_t deaths;  /* how many of these are set */
			uint64_t keeper_start, child_start; /* ticks, stat 22 */
			uint64_t began_ns;                  /* CLOCK_BOOTTIME */
			struct control_death death[CONTROL_DEATHS];
			uint32_t trial; /* only check: can it take over? */
			uint32_t anew;  /* ignore earlier crashes */
		} hello;
		struct {
			int32_t status;
			uint32_t reserved;
			uint64_t offset;  /* where the output ends, so far */
			uint64_t time_ns; /* CLOCK_BOOTTIME */
		} exit;
		struct {
			uint64_t offset;
		} closed;
		struct {
			uint32_t ms;
			uint32_t hold; /* after EXIT, until ACK or RESTART */
		} linger;
		struct {
			int32_t pid; /* of the next host */
		} leave;
		struct {
			uint32_t how; /* enum control_failure */
			int32_t error;
			char why[CONTROL_WHY_MAX]; /* may lack its NUL */
		} failed;
		struct {
			int32_t child_pid;
			int32_t error; /* 0: it runs */
			uint64_t child_start;
		} started;
	} u;
};

/*
 * Send one message with at most one descriptor (-1 for none).  Receive one; *fd
 * is -1 if it has no descriptor.  Receiving returns 1, 0 at the end of the
 * connection, or -errno (-EAGAIN if there is no message).  Fields that an older
 * sender does not know are zero.
 */
int control_send(int sock, const struct control *c, int fd);
int control_receive(int sock, struct control *c, int *fd);

/*
 * How `tend` starts a keeper:
 *
 *	tend-keeper COLS ROWS [WORD...] -- COMMAND ARGUMENT...
 *
 * with the program's environment, and these descriptors.  The words are not for
 * the keeper: others read them in /proc (session/confinement.h).  It answers
 * on LAUNCH_STATUS with one struct launch_status once the program runs or
 * could not be run, and closes it.  COMMAND is looked up in the PATH of the
 * environment.
 */
enum launch_fd {
	LAUNCH_STATUS = 3, /* write end of a pipe */
	LAUNCH_DIR,        /* the session's directory */
	LAUNCH_HOST,       /* the program tend-host, open for reading */
	LAUNCH_CWD,        /* where the program starts */
	LAUNCH_SCOPE,      /* cgroup.procs of its scope, or /dev/null */
	LAUNCH_FDS_END,
};

enum launch_stage {
	LAUNCH_OK,
	LAUNCH_TERMINAL, /* no pseudo-terminal */
	LAUNCH_SOCKET,   /* the session's socket */
	LAUNCH_RING,
	LAUNCH_FORK,
	LAUNCH_CHDIR,
	LAUNCH_EXEC, /* the program could not be run */
	LAUNCH_ARGUMENTS,
	LAUNCH_ENTER, /* the program could not enter its scope */
};

struct launch_status {
	uint32_t stage; /* enum launch_stage */
	int32_t error;  /* errno */
	int32_t keeper_pid, child_pid;
	uint64_t keeper_start, child_start;
	uint64_t began_ns;
};

/* The start time of a process in clock ticks since boot; 0 when it is gone. */
uint64_t process_start_time(pid_t pid);

/* A process and its parent, as /proc shows them. */
struct process_seen {
	pid_t pid, parent; /* parent 0: none that can be seen from here */
	uint64_t start;    /* as above */
	char name[16];     /* of the program's file, cut */
};

/* False when there is no such process, when it has ended, or it is hidden. */
bool process_see(pid_t pid, struct process_seen *out);

/*
 * The state of a child.  A ghost has ended, but wait(2) does not return it,
 * because one of its threads waits for a disk.
 */
enum process_end {
	PROCESS_LIVES, /* or unknown */
	PROCESS_DIES,  /* it was killed and ends, or becomes a ghost, soon */
	PROCESS_GHOST,
};
enum process_end process_end(pid_t pid);

#endif
