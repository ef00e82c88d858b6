/*
 * Compare a manifest with the running processes.  A pid alone proves nothing.
 * It counts only in the boot, with the start time, and in the directory that
 * it was written for.  The inode of that directory cannot have been reused:
 * the process has it open.
 */
#include "session/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "keep/control.h"

static int
read_boot_id(char out[40])
{
	auto_close int fd = open("/proc/sys/kernel/random/boot_id",
	    O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, 39);

	if (n < 0)
		return -errno;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

/*
 * Read once: the boot id cannot change while we run, and lists need it for
 * each row.  Threads read rows at once, and half of an id would make every
 * session look lost.
 */
int
boot_id(char out[40])
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char known[40];
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (known[0] == '\0')
		rc = read_boot_id(known);
	memcpy(out, known, sizeof(known));
	pthread_mutex_unlock(&lock);
	return rc;
}

static bool
runs(const struct process *p, bool same_boot)
{
	return same_boot && p->pid > 0 && p->start != 0 &&
	    process_start_time(p->pid) == p->start;
}

/* Clear the pid of a process that has ended or is not the session's. */
static bool
still_runs(struct process *p, bool same_boot, bool *elsewhere)
{
	bool alive = runs(p, same_boot);

	if (alive && elsewhere == NULL)
		return true;
	if (alive)
		*elsewhere = true;
	*p = (struct process){ 0 };
	return false;
}

static bool
reconcile_in(struct manifest *m, const char *boot)
{
	bool same_boot = *boot != '\0' && strcmp(boot, m->boot_id) == 0;
	bool *elsewhere = m->elsewhere ? &m->copied : NULL;
	bool kept = still_runs(&m->keeper, same_boot, elsewhere);
	bool hosted = still_runs(&m->host, same_boot, elsewhere);

	/* Only a host knows who is attached. */
	if (!hosted || !status_has_live_host(m->status))
		m->observers = -1;
	if (status_is_terminal(m->status) || m->has_exit)
		m->child = (struct process){ 0 };
	if (!status_has_live_host(m->status) || kept || hosted) {
		m->unkept |= status_has_live_host(m->status) && !kept;
		return false;
	}
	m->status = STATUS_EXITED;
	if (!m->has_exit)
		m->outcome = OUTCOME_LOST;
	else if (m->outcome == OUTCOME_NONE)
		m->outcome = OUTCOME_EXITED;
	m->child = (struct process){ 0 };
	return true;
}

bool
manifest_reconcile(struct manifest *m)
{
	char boot[40];

	return reconcile_in(m, boot_id(boot) == 0 ? boot : "");
}

int
manifest_read_in(int dirfd, struct manifest *m, const char *boot,
    struct error *err)
{
	int rc = manifest_read(dirfd, m, err);
	bool was_unkept = rc == 0 && m->unkept;

	if (rc < 0 || (!reconcile_in(m, boot) && m->unkept == was_unkept))
		return rc;
	/* The process is gone, so it writes nothing after this read. */
	manifest_finish(m);
	rc = manifest_read(dirfd, m, err);
	if (rc == 0)
		reconcile_in(m, boot);
	return rc;
}

int
manifest_read_now(int dirfd, struct manifest *m, struct error *err)
{
	char boot[40];

	return manifest_read_in(dirfd, m, boot_id(boot) == 0 ? boot : "", err);
}
