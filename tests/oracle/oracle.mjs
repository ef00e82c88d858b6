// The same bytes through another terminal: @xterm/headless.
//
// Reads one request a line on standard input and writes one line for every
// dump that it asks for.  README.md defines both; compare.py is the caller.

import readline from 'node:readline';
import { arrange } from './arrange.mjs';
import { teach, lessons } from './teach.mjs';

// The graphemes addon reads its table's header from the start of the
// ArrayBuffer below a Buffer. That is wrong for a Buffer cut out of node's
// pool: without this, every character beyond U+FFFF would be one column wide.
Buffer.poolSize = 0;

const headless = await import('@xterm/headless');
const graphemes = await import('@xterm/addon-unicode-graphemes');
const Terminal = headless.Terminal ?? headless.default.Terminal;
const { UnicodeGraphemesAddon } = graphemes.default ?? graphemes;

const UNDERLINES = ['', 'single', 'double', 'curly', 'dotted', 'dashed'];
const MOUSE = { NONE: 'none', X10: 'x10', VT200: 'vt200', DRAG: 'drag', ANY: 'any' };
const COLOUR_MODE = 0x3000000;
const RGB = 0x3000000;
const HAS_EXTENDED = 0x10000000;

function colour(value) {
	switch (value & COLOUR_MODE) {
	case 0:
		return '';
	case RGB:
		return '#' + (value & 0xffffff).toString(16).padStart(6, '0');
	default:
		return 'p' + (value & 0xff);
	}
}

class Screen {
	constructor(request) {
		this.term = new Terminal({
			cols: request.cols,
			rows: request.rows,
			scrollback: request.scrollback,
			reflowCursorLine: request.reflowCursorLine ?? false,
			windowOptions: { pushTitle: true, popTitle: true },
			allowProposedApi: true,
			logLevel: 'off',
		});
		if (request.graphemes) {
			this.term.loadAddon(new UnicodeGraphemesAddon());
			this.term.unicode.activeVersion = '15-graphemes';
		}
		this.decoder = new TextDecoder('utf-8', { ignoreBOM: true });
		this.title = '';
		this.term.onTitleChange((title) => { this.title = title; });
		this.cell = this.term.buffer.active.getNullCell();
		this.uris = new Map();
		this.keepLinks(this.term._core._oscLinkService);
		teach(this, request.untaught ?? []);
	}

	// xterm.js drops a link when it believes that its lines are gone. It
	// is mistaken where lines were moved inside a scroll region.
	keepLinks(service) {
		const register = service.registerLink.bind(service);
		service.registerLink = (link) => {
			const id = register(link);
			this.uris.set(id, link.uri);
			return id;
		};
	}

	// write() waits for a timer each time. No handler is asynchronous, so
	// the synchronous one does the same at once.
	write(bytes) {
		const text = this.decoder.decode(bytes, { stream: true });
		this.term._core.writeSync(text);
	}

	// xterm.js drops rows below the cursor that it has no room for.  To
	// keep all text, the cursor first moves to the last row; a caller that
	// asks for this arranges the rows again.
	resize(cols, rows, whole) {
		if (whole)
			this.term._core.buffers.normal.y = this.term.rows - 1;
		this.term.resize(cols, rows);
	}

	// Underline style and colour and the link are kept apart from the
	// other attributes, and only in cells that say so.  A link makes
	// xterm.js report a dashed underline that no program asked for, so the
	// style is taken from the bits beneath, and only where SGR underlines.
	attributes(cell) {
		const names = [];
		const has = (flag, name) => flag && names.push(name);
		const extended = cell.bg & HAS_EXTENDED ? cell.extended : undefined;
		has(cell.isBlink(), 'blink');
		has(cell.isBold(), 'bold');
		has(cell.isDim(), 'faint');
		has(cell.isInvisible(), 'hidden');
		has(cell.isInverse(), 'inverse');
		has(cell.isItalic(), 'italic');
		const link = this.uris.get(extended?.urlId);
		has(link, 'link=' + link);
		has(cell.isOverline(), 'overline');
		has(cell.isProtected(), 'protected');
		has(cell.isStrikethrough(), 'strike');
		if (cell.fg & 0x10000000) {
			const style = extended ? (extended._ext >> 26) & 7 : 1;
			const hue = extended ? extended.underlineColor : 0;
			names.push('ul=' + UNDERLINES[style || 1]);
			// SGR 59 stores white to mean none.
			has(hue !== 0x3ffffff && colour(hue), 'ulc=' + colour(hue));
		}
		return names.join(',');
	}

	// A cell without text has a background and nothing else (policy
	// "blank_cells"); the right half of a wide character is not one.
	style(cell) {
		if (cell.getChars() === '' && cell.getWidth() > 0)
			return ['', colour(cell.bg), ''];
		return [colour(cell.fg), colour(cell.bg), this.attributes(cell)];
	}

	line(row) {
		const cells = [];
		let end = 0;
		for (let x = 0; x < this.term.cols; x++) {
			row.loadCell(x, this.cell);
			const width = this.cell.getWidth();
			const text = this.cell.getChars();
			const style = this.style(this.cell);
			cells.push({ text, width, style });
			if (text !== '' || style.some((s) => s !== ''))
				end = x + Math.max(width, 1);
		}
		end = Math.min(end, this.term.cols);
		return { w: row.isWrapped ? 1 : 0, ...compact(cells.slice(0, end)) };
	}

	lines(buffer, from, to) {
		const out = [];
		for (let y = from; y < to; y++)
			out.push(this.line(buffer.lines.get(y)));
		return out;
	}

	dump() {
		const core = this.term._core;
		const buffers = core.buffers;
		const buffer = buffers.active;
		const primary = buffers.normal;
		const modes = core.coreService.decPrivateModes;
		const alt = buffer === buffers.alt;
		return {
			cols: this.term.cols,
			rows: this.term.rows,
			cursor: {
				row: buffer.y,
				col: Math.min(buffer.x, this.term.cols - 1),
				visible: !core.coreService.isCursorHidden,
				pending_wrap: buffer.x >= this.term.cols,
			},
			saved: [saved(primary), saved(buffers.alt)],
			alt,
			title: this.title,
			modes: {
				app_cursor: modes.applicationCursorKeys,
				app_keypad: modes.applicationKeypad,
				bracketed_paste: modes.bracketedPasteMode,
				insert: core.coreService.modes.insertMode,
				origin: modes.origin,
				wraparound: modes.wraparound,
				mouse: MOUSE[core.coreMouseService.activeProtocol],
				focus: modes.sendFocus,
			},
			scrollback: this.lines(primary, 0, primary.ybase),
			hidden: alt ? this.lines(primary, primary.ybase,
			    primary.ybase + this.term.rows) : [],
			lines: this.lines(buffer, buffer.ybase,
			    buffer.ybase + this.term.rows),
			kept: 0,
		};
	}
}

// The state that DECSC saved, as lesson decsc_saves_all keeps it.
function saved(buffer) {
	const { x, y } = buffer.tendSaved ?? { x: 0, y: 0 };
	return [y, x];
}

// A row as text, the cells that are not one column with one code point, the
// runs of cells without text, and those of style: see "A line" in README.md.
function compact(cells) {
	let text = '';
	const odd = [];
	const empty = [];
	const runs = [];
	cells.forEach((cell, x) => {
		if (cell.width > 0) {
			const points = [...cell.text].length;
			text += cell.text === '' ? ' ' : cell.text;
			if (cell.width > 1 || points > 1)
				odd.push([x, cell.width, Math.max(points, 1)]);
			if (cell.text === '' && empty.at(-1)?.[1] === x)
				empty.at(-1)[1] = x + 1;
			else if (cell.text === '')
				empty.push([x, x + 1]);
		}
		const last = runs.at(-1);
		const style = cell.style.join('\n');
		if (last?.style === style && last.end === x)
			last.end = x + 1;
		else if (style !== '\n\n')
			runs.push({ start: x, end: x + 1, style });
	});
	return {
		t: text,
		c: odd,
		e: empty,
		s: runs.map((r) => [r.start, r.end, ...r.style.split('\n')]),
	};
}

function serve(request) {
	const screen = new Screen(request);
	for (const chunk of request.chunks) {
		if (chunk.data !== undefined)
			screen.write(Buffer.from(chunk.data, 'base64'));
		else if (chunk.resize)
			screen.resize(...chunk.resize, chunk.whole);
		else if (chunk.arrange)
			arrange(screen, chunk.arrange);
		else if (chunk.dump)
			process.stdout.write(JSON.stringify(screen.dump()) + '\n');
	}
	screen.term.dispose();
}

if (process.argv.includes('--lessons')) {
	console.log(lessons.join('\n'));
	process.exit(0);
}

for await (const line of readline.createInterface({ input: process.stdin }))
	serve(JSON.parse(line));
