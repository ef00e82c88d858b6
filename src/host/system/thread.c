#include "host/system/thread.h"

#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* Untouched pages cost nothing. */
#define STACK (256u << 10)

int
thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	/* Crash signals stay unblocked, and the sandbox reports by SIGSYS. */
	sigfillset(&all);
	sigdelset(&all, SIGSYS);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGABRT);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(out, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		pthread_setname_np(*out, name);
	return -rc;
}

void
thread_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

void
thread_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_ms)
{
	struct timespec until = clock_timespec(until_ms);

	if (until_ms < 0)
		pthread_cond_wait(cond, lock);
	else
		pthread_cond_timedwait(cond, lock, &until);
}

void
thread_be_idle(void)
{
	struct sched_param none = { 0 };

	pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
	    IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}
