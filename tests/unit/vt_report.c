#include "unit.h"

#include <stdlib.h>

#include "base/version.h"
#include "vt_make.h"
#include "vt_show.h"

/* The bytes get this answer, wherever they are cut in two. */
static void
answers(const char *question, const char *want)
{
	for (size_t cut = 0; cut <= strlen(question); cut++) {
		struct replies replies;
		struct vt *vt = make_vt_that_replies(80, 24, &replies);

		feed_cut(vt, question, cut);
		char *got = buf_take(&replies.out);
		if (strcmp(got, want) != 0)
			fail_msg("%s cut at %zu: %s, not %s",
			    show_bytes(question, strlen(question)).s, cut,
			    show_bytes(got, strlen(got)).s,
			    show_bytes(want, strlen(want)).s);
		free(got);
		vt_destroy(vt);
	}
}

/* O-10. */
static void
the_state_and_the_cursor_are_reported(void **state)
{
	(void)state;
	answers("\033[5n", "\033[0n");
	answers("\033[6n", "\033[1;1R");
	answers("\033[3;5H\033[6n", "\033[3;5R");
	answers("text\r\nmore\033[6n", "\033[2;5R");
	answers("\033[?6n", "\033[?1;1;1R");
	answers("\033[5;9r\033[?6h\033[2;3H\033[6n", "\033[2;3R");
	answers("\033[6n\033[5n\033[6n", "\033[1;1R\033[0n\033[1;1R");
}

/* O-10: at first white on black. */
static void
colours_are_reported(void **state)
{
	(void)state;
	answers("\033]10;?\033\\", "\033]10;rgb:ffff/ffff/ffff\033\\");
	answers("\033]11;?\033\\", "\033]11;rgb:0000/0000/0000\033\\");
	answers("\033]12;?\033\\", "\033]12;rgb:ffff/ffff/ffff\033\\");
	answers("\033]10;?\a", "\033]10;rgb:ffff/ffff/ffff\a");
	answers("\033]11;#123456\033\\\033]11;?\033\\",
	    "\033]11;rgb:1212/3434/5656\033\\");
	answers("\033]4;1;?\033\\", "\033]4;1;rgb:cdcd/0000/0000\033\\");
	answers("\033]4;7;#abcdef\a\033]4;7;?\a",
	    "\033]4;7;rgb:abab/cdcd/efef\a");
}

/* O-10: a caller that knows the outer colours sets them. */
static void
the_terminals_own_colours_are_reported(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(80, 24, &replies);

	(void)state;
	vt_set_default_colours(vt, 0x102030, 0xfffefd);
	feed(vt, "\033]10;?\033\\\033]11;?\033\\\033[?996n");
	replied(&replies,
	    "\033]10;rgb:1010/2020/3030\033\\"
	    "\033]11;rgb:ffff/fefe/fdfd\033\\"
	    "\033[?997;2n");
	vt_destroy(vt);
}

static void
the_terminal_identifies_itself(void **state)
{
	(void)state;
	answers("\033[c", "\033[?64;6;21;22;28c");
	answers("\033[0c", "\033[?64;6;21;22;28c");
	answers("\033[1c", "");
	answers("\033Z", "\033[?64;6;21;22;28c");
	answers("\033[=c", "\033P!|00000000\033\\");
	answers("\033[>q", "\033P>|tend(" TEND_VERSION ")\033\\");
}

static void
modes_and_settings_are_reported(void **state)
{
	(void)state;
	answers("\033[?2004$p", "\033[?2004;2$y");
	answers("\033[?2004h\033[?2004$p", "\033[?2004;1$y");
	answers("\033[?u", "\033[?0u");
	answers("\033[>5u\033[?u", "\033[?5u");
	answers("\033P$qm\033\\", "\033P1$r0m\033\\");
	answers("\033[1;31m\033P$qm\033\\", "\033P1$r0;1;31m\033\\");
	answers("\033[2;9r\033P$qr\033\\", "\033P1$r2;9r\033\\");
	answers("\033P$qx\033\\", "\033P0$r\033\\");
	answers("\033P+q436f\033\\", "\033P1+r436F=323536\033\\");
	answers("\033[18t", "\033[8;24;80t");
}

static void
other_sequences_are_not_answered(void **state)
{
	(void)state;
	answers("text\r\n\a\005", "");
	answers("\033[7n\033[?4242n", "");
	answers("\033]52;c;?\a", "");
	answers("\033]10;#ffffff\a\033]4;1;#ffffff\a", "");
	answers("\033[21t", ""); /* the title must not be reported */
	answers("\033]2;5n\a\033_\xc2\x9b"
		"5n\033\\",
	    "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_and_the_cursor_are_reported),
		cmocka_unit_test(colours_are_reported),
		cmocka_unit_test(the_terminals_own_colours_are_reported),
		cmocka_unit_test(the_terminal_identifies_itself),
		cmocka_unit_test(modes_and_settings_are_reported),
		cmocka_unit_test(other_sequences_are_not_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
