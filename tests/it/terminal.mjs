// A live terminal: @xterm/headless behind lines of JSON.
//
//  In:  {"cols","rows","graphemes"} first, then {"data": base64},
//       {"resize": [cols, rows]} and {"dump": n}.
//  Out: {"reply": base64} for bytes that the terminal sends its program, and
//       {"dump": n, ...} for its screen.

import readline from 'node:readline';

// See tests/oracle/oracle.mjs.
Buffer.poolSize = 0;

const headless = await import('@xterm/headless');
const graphemes = await import('@xterm/addon-unicode-graphemes');
const Terminal = headless.Terminal ?? headless.default.Terminal;
const { UnicodeGraphemesAddon } = graphemes.default ?? graphemes;

const say = (object) => process.stdout.write(JSON.stringify(object) + '\n');

function create({ cols, rows, graphemes }) {
	const term = new Terminal({
		cols, rows, scrollback: 20000, allowProposedApi: true, logLevel: 'off',
		windowOptions: { pushTitle: true, popTitle: true },
	});
	if (graphemes) {
		term.loadAddon(new UnicodeGraphemesAddon());
		term.unicode.activeVersion = '15-graphemes';
	}
	const reply = (data) => say({ reply: Buffer.from(data, 'latin1').toString('base64') });
	term.onData(reply);
	term.onBinary(reply);
	term.titles = [];
	term.onTitleChange((title) => term.titles.push(title));
	return term;
}

function text(buffer, from, to) {
	const lines = [];
	for (let y = from; y < to; y++)
		lines.push(buffer.getLine(y)?.translateToString(true) ?? '');
	return lines;
}

// Rows that are not plain ASCII, cell by cell.
function columns(buffer, rows, cols) {
	const out = {};
	for (let y = 0; y < rows; y++) {
		const line = buffer.getLine(buffer.baseY + y);
		if (/^[\x20-\x7e]*$/.test(line.translateToString(true)))
			continue;
		out[y] = [];
		for (let x = 0; x < cols; x++)
			out[y].push(line.getCell(x).getChars());
	}
	return out;
}

// Highlighted text: the text of each row that is inverse, or on yellow.
function marks(buffer, rows, cols) {
	const out = [];
	for (let y = 0; y < rows; y++) {
		const line = buffer.getLine(buffer.baseY + y);
		const row = { inverse: '', found: '' };
		for (let x = 0; x < cols; x++) {
			const cell = line.getCell(x);
			if (cell.isInverse())
				row.inverse += cell.getChars() || ' ';
			if (cell.isBgPalette() && cell.getBgColor() === 3)
				row.found += cell.getChars() || ' ';
		}
		out.push(row);
	}
	return out;
}

function dump(term) {
	const buffer = term.buffer.active;
	const normal = term.buffer.normal;
	const core = term._core;
	return {
		cols: term.cols,
		rows: term.rows,
		alt: buffer.type === 'alternate',
		cursor: [buffer.cursorY, Math.min(buffer.cursorX, term.cols - 1)],
		visible: !core.coreService.isCursorHidden,
		title: term.titles.at(-1) ?? '',
		modes: { ...term.modes, ...core.coreService.decPrivateModes,
			keypad: core.coreService.modes, mouse: core.coreMouseService.activeProtocol,
			encoding: core.coreMouseService.activeEncoding,
			margins: [core.buffers.active.scrollTop,
				term.rows - 1 - core.buffers.active.scrollBottom] },
		lines: text(buffer, buffer.baseY, buffer.baseY + term.rows),
		columns: columns(buffer, term.rows, term.cols),
		marks: marks(buffer, term.rows, term.cols),
		scrollback: text(normal, 0, normal.baseY),
	};
}

let term;
for await (const line of readline.createInterface({ input: process.stdin })) {
	const message = JSON.parse(line);
	if (term === undefined)
		term = create(message);
	else if (message.data !== undefined)
		term._core.writeSync(Buffer.from(message.data, 'base64'));
	else if (message.resize)
		term.resize(...message.resize);
	else
		say({ ...dump(term), dump: message.dump });
}
