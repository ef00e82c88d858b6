#include "paint/box.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#define W BOX_CELL_WIDTH
#define H BOX_CELL_HEIGHT
#define PATH_MAX_BYTES (4u << 20) /* more than a row of 2000 ever needs */

void
box_init(struct box *b)
{
	buf_init(&b->fill, PATH_MAX_BYTES);
	buf_init(&b->line, PATH_MAX_BYTES);
	for (int i = 0; i < 3; i++)
		buf_init(&b->shade[i], PATH_MAX_BYTES);
}

void
box_finish(struct box *b)
{
	buf_finish(&b->fill);
	buf_finish(&b->line);
	for (int i = 0; i < 3; i++)
		buf_finish(&b->shade[i]);
}

static void
rect(struct buf *out, double x, double y, double w, double h)
{
	buf_printf(out, "M%.8g %.8gh%.8gv%.8gh%.8gz", x, y, w, h, -w);
}

/*
 * The lines of U+2500..U+257F: for each what goes left, up, right and down
 * from the middle.  . nothing, - light, # heavy, = double.  Dashes, arcs and
 * diagonals are drawn by functions of their own and are empty here.
 */
/* clang-format off */
static const char arms[128][5] = {
	/* 2500 */ "-.-.", "#.#.", ".-.-", ".#.#",
	/* 2504 */ "", "", "", "", "", "", "", "",
	/* 250C */ "..--", "..#-", "..-#", "..##",
	/* 2510 */ "-..-", "#..-", "-..#", "#..#",
	/* 2514 */ ".--.", ".-#.", ".#-.", ".##.",
	/* 2518 */ "--..", "#-..", "-#..", "##..",
	/* 251C */ ".---", ".-#-", ".#--", ".--#",
	/* 2520 */ ".#-#", ".##-", ".-##", ".###",
	/* 2524 */ "--.-", "#-.-", "-#.-", "--.#",
	/* 2528 */ "-#.#", "##.-", "#-.#", "##.#",
	/* 252C */ "-.--", "#.--", "-.#-", "#.#-",
	/* 2530 */ "-.-#", "#.-#", "-.##", "#.##",
	/* 2534 */ "---.", "#--.", "--#.", "#-#.",
	/* 2538 */ "-#-.", "##-.", "-##.", "###.",
	/* 253C */ "----", "#---", "--#-", "#-#-",
	/* 2540 */ "-#--", "---#", "-#-#", "##--",
	/* 2544 */ "-##-", "#--#", "--##", "###-",
	/* 2548 */ "#-##", "##-#", "-###", "####",
	/* 254C */ "", "", "", "",
	/* 2550 */ "=.=.", ".=.=", "..=-", "..-=",
	/* 2554 */ "..==", "=..-", "-..=", "=..=",
	/* 2558 */ ".-=.", ".=-.", ".==.", "=-..",
	/* 255C */ "-=..", "==..", ".-=-", ".=-=",
	/* 2560 */ ".===", "=-.-", "-=.=", "==.=",
	/* 2564 */ "=.=-", "-.-=", "=.==", "=-=.",
	/* 2568 */ "-=-.", "===.", "=-=-", "-=-=",
	/* 256C */ "====", "", "", "",
	/* 2570 */ "", "", "", "",
	/* 2574 */ "-...", ".-..", "..-.", "...-",
	/* 2578 */ "#...", ".#..", "..#.", "...#",
	/* 257C */ "-.#.", ".-.#", "#.-.", ".#.-",
};
/* clang-format on */

enum { LEFT, UP, RIGHT, DOWN };

/* Half the distance of the two lines of a double one. */
#define GAP 2

/*
 * A line of an arm, `thick` wide, `aside` of the middle (to the right or
 * down), from the cell's edge to `past` the middle.
 */
static void
stroke(struct buf *out, unsigned x, unsigned y, int dir, double aside,
    double past, double thick)
{
	double cx = x + W / 2.0, cy = y + H / 2.0;

	if (dir == LEFT)
		rect(out, x, cy + aside - thick / 2, W / 2.0 + past, thick);
	else if (dir == RIGHT)
		rect(out, cx - past, cy + aside - thick / 2, W / 2.0 + past,
		    thick);
	else if (dir == UP)
		rect(out, cx + aside - thick / 2, y, thick, H / 2.0 + past);
	else
		rect(out, cx + aside - thick / 2, cy - past, thick,
		    H / 2.0 + past);
}

/*
 * One of the two lines of a double arm.  Where a double arm leaves on its own
 * side it stops short of it, where one leaves on the other side it goes round
 * the corner, otherwise it ends in the middle.
 */
static void
stroke_double(struct buf *out, unsigned x, unsigned y, const char *a, int dir,
    int side)
{
	bool level = dir == LEFT || dir == RIGHT;
	int before = level ? UP : LEFT, after = level ? DOWN : RIGHT;
	char near = a[side < 0 ? before : after];
	char far = a[side < 0 ? after : before];
	double past = near == '=' ? -GAP + .5 : far == '=' ? GAP + .5 : .5;

	stroke(out, x, y, dir, side * GAP, past, 1);
}

/* A single arm reaches its neighbours' far line, or stops between two. */
static double
past_middle(const char *a, int dir)
{
	char one = a[(dir + 1) % 4], other = a[(dir + 3) % 4];

	if (a[(dir + 2) % 4] != '.')
		return .5;
	if (one == '=' && other == '=')
		return -GAP + .5;
	if (one == '=' || other == '=')
		return GAP + .5;
	return one == '#' || other == '#' ? 1.5 : .5;
}

static void
add_arms(struct box *b, const char *a, unsigned x, unsigned y)
{
	for (int dir = LEFT; dir <= DOWN; dir++) {
		if (a[dir] == '=') {
			stroke_double(&b->fill, x, y, a, dir, -1);
			stroke_double(&b->fill, x, y, a, dir, 1);
		} else if (a[dir] == '#') {
			stroke(&b->fill, x, y, dir, 0, 1.5, 3);
		} else if (a[dir] == '-') {
			stroke(&b->fill, x, y, dir, 0, past_middle(a, dir), 1);
		}
	}
}

/* U+2504..250B and U+254C..254F: two, three or four dashes. */
static void
add_dashes(struct box *b, uint32_t cp, unsigned x, unsigned y)
{
	int n = cp >= 0x254C ? 2 : cp >= 0x2508 ? 4 : 3;
	double thick = cp & 1 ? 3 : 1;
	double w = (double)W / n, h = (double)H / n;

	for (int i = 0; i < n; i++)
		if (cp & 2)
			rect(&b->fill, x + W / 2.0 - thick / 2,
			    y + i * h + h * .2, thick, h * .6);
		else
			rect(&b->fill, x + i * w + w * .2,
			    y + H / 2.0 - thick / 2, w * .6, thick);
}

/* U+256D..2570: a light corner with a round inside. */
static void
add_arc(struct box *b, uint32_t cp, unsigned x, unsigned y)
{
	double cx = x + W / 2.0, cy = y + H / 2.0;
	bool right = cp == 0x256D || cp == 0x2570;
	bool down = cp <= 0x256E;
	double ex = right ? x + W : x, ey = down ? y + H : y;
	double r = down ? W / 2.0 : -W / 2.0;

	buf_printf(&b->line, "M%.8g %.8gV%.8gQ%.8g %.8g %.8g %.8g", cx, ey,
	    cy + r, cx, cy, ex, cy);
}

static void
add_diagonals(struct box *b, uint32_t cp, unsigned x, unsigned y)
{
	if (cp != 0x2572)
		buf_printf(&b->line, "M%u %uL%u %u", x, y + H, x + W, y);
	if (cp != 0x2571)
		buf_printf(&b->line, "M%u %uL%u %u", x, y, x + W, y + H);
}

/* U+2596..259F: which quarters; 1 upper left, 2 upper right, 4, 8 lower. */
static void
add_quarters(struct box *b, uint32_t cp, unsigned x, unsigned y)
{
	static const uint8_t which[] = { 4, 8, 1, 13, 9, 7, 11, 2, 6, 14 };
	double w = W / 2.0, h = H / 2.0;

	for (int i = 0; i < 4; i++)
		if (which[cp - 0x2596] & 1 << i)
			rect(&b->fill, x + (i % 2) * w, y + (i / 2) * h, w, h);
}

static void
add_block(struct box *b, uint32_t cp, unsigned x, unsigned y)
{
	double w8 = W / 8.0, h8 = H / 8.0;

	if (cp == 0x2580)
		rect(&b->fill, x, y, W, 4 * h8);
	else if (cp <= 0x2588)
		rect(&b->fill, x, y + h8 * (0x2588 - cp), W,
		    h8 * (cp - 0x2580));
	else if (cp <= 0x258F)
		rect(&b->fill, x, y, w8 * (0x2590 - cp), H);
	else if (cp == 0x2590)
		rect(&b->fill, x + 4 * w8, y, 4 * w8, H);
	else if (cp <= 0x2593)
		rect(&b->shade[cp - 0x2591], x, y, W, H);
	else if (cp == 0x2594)
		rect(&b->fill, x, y, W, h8);
	else if (cp == 0x2595)
		rect(&b->fill, x + 7 * w8, y, w8, H);
	else
		add_quarters(b, cp, x, y);
}

void
box_add(struct box *b, uint32_t cp, unsigned x, unsigned y)
{
	assert(cp >= 0x2500 && cp <= 0x259F);
	if (cp >= 0x2580)
		add_block(b, cp, x, y);
	else if (arms[cp - 0x2500][0] != '\0')
		add_arms(b, arms[cp - 0x2500], x, y);
	else if (cp >= 0x2571 && cp <= 0x2573)
		add_diagonals(b, cp, x, y);
	else if (cp >= 0x256D && cp <= 0x2570)
		add_arc(b, cp, x, y);
	else
		add_dashes(b, cp, x, y);
}
