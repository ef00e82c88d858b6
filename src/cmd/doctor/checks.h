#ifndef TEND_CMD_DOCTOR_CHECKS_H
#define TEND_CMD_DOCTOR_CHECKS_H

#include "home/checkup.h"

/*
 * The checks of `tend doctor` that concern the caller's own terminal and
 * installation; home/checkup.h has those of a home.  To add one, declare its
 * function here, write it in one of check_*.c, and add a row to the table in
 * doctor.c.  A check reports each finding with checkup_ok or checkup_bad; it
 * changes nothing.
 */
typedef void check_fn(struct checkup *c);

check_fn check_programs, check_path; /* check_install.c */
check_fn check_files, check_processes, check_terminals, check_memory,
    check_lingering, check_fonts;                    /* check_system.c */
check_fn check_terminfo, check_locale, check_screen; /* check_terminal.c */

#endif
