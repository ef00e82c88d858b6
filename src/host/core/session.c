#include "host/core/session.h"

#include "base/clock.h"
#include "host/store/manifest_writer.h"
#include "host/store/notice_board.h"

uint64_t
session_now_ns(const struct session *session)
{
	return (uint64_t)clock_ns(CLOCK_BOOTTIME) - session->began_ns;
}

void
session_save(struct session *session)
{
	session->hooks->on_save(session->arg);
	notice_board_written(session->notice_board);
	manifest_writer_save(session->manifest_writer, &session->manifest,
	    session->ended);
}

void
session_write(struct session *session)
{
	if (session->ended)
		return;
	session->hooks->on_save(session->arg);
	manifest_writer_save_later(session->manifest_writer,
	    &session->manifest);
}

void
session_save_later(struct session *session)
{
	notice_board_changed(session->notice_board);
}

void
session_touch(struct session *session)
{
	session->active_ms = clock_ms(CLOCK_MONOTONIC);
}
