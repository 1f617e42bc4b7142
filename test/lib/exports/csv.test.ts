import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { columnsOf, headerLine, rowLine } from '../../../lib/exports/csv.ts';
import { jsonLine } from '../../../lib/exports/json-line.ts';
import { readByPython } from '../../faults/export-kills.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const schema = z.object({
  text: z.string(),
  number: z.number().nullable(),
  inner: z.object({ flag: z.boolean(), list: z.array(z.string()) }).nullable(),
});
const columns = columnsOf(schema);
const rows = HOSTILE_TEXTS.map((text, at) => ({
  text,
  number: at % 3 === 0 ? null : -at / 7,
  inner: at % 5 === 0 ? null : { flag: at % 2 === 0, list: [text] },
}));
const table = [headerLine(columns), ...rows.map((row) => rowLine(columns, row))].join('');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await writeFile(join(folder, 'rows.csv'), table);
  await writeFile(join(folder, 'rows.jsonl'), rows.map(jsonLine).join(''));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

it('names the columns of nested members, and starts with the mark of UTF-8', () => {
  expect(headerLine(columns)).toBe('\uFEFF"text","number","inner.flag","inner.list"\r\n');
});

it('a number stays a number, and a text that looks like one is a text', () => {
  expect(rowLine(columns, { text: '-1', number: -1, inner: null })).toBe(`"'-1",-1,,\r\n`);
});

it('of each two texts that differ, the cells differ', () => {
  const cells = HOSTILE_TEXTS.map((text) => rowLine(columns, { text, number: null, inner: null }));
  expect(new Set(cells).size).toBe(HOSTILE_TEXTS.length);
});

it(`${HOSTILE_TEXTS.length} hostile texts have the same values in Python's csv as in the raw rows`, async () => {
  const files = { raw: join(folder, 'rows.jsonl'), table: join(folder, 'rows.csv') };
  expect(await readByPython(folder, files)).toEqual([]);
});

const office = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0);

describe.skipIf(office === undefined)('in LibreOffice', () => {
  // Comma, quote, UTF-8, from line 1, quoted fields are text, numbers are recognized, formulas are evaluated.
  const IN = '--infilter=CSV:44,34,76,1,,0,true,true,false,false,false,0,true';
  const convert = (format: string, name: string) => {
    const profile = `-env:UserInstallation=file://${join(folder, 'office')}`;
    const args = ['--headless', profile, IN, '--convert-to', format, '--outdir', join(folder, name)];
    const { status, stderr } = spawnSync(office ?? '', [...args, join(folder, 'rows.csv')], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  };

  it('no hostile text is a formula, and each is the text of its cell', { timeout: 180_000 }, async () => {
    convert('fods', 'sheet');
    expect(await readFile(join(folder, 'sheet', 'rows.fods'), 'utf8')).not.toContain('table:formula');
    convert('csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true', 'again');
    const read =
      'import csv, json, sys; print(json.dumps([row[0] for row in csv.reader(open(sys.argv[1], newline=""))]))';
    const { stdout, stderr } = spawnSync('python3', ['-c', read, join(folder, 'again', 'rows.csv')]);
    expect(String(stderr)).toBe('');
    const [, ...cells] = z.array(z.string()).parse(JSON.parse(String(stdout)));
    expect(cells.map((cell) => asShown(meant(cell)))).toEqual(HOSTILE_TEXTS.map(asShown));
  });
});

/** What a cell meant: an apostrophe in front of what would be taken for a formula is none of the text. */
function meant(cell: string): string {
  return /^'+(?:[\s\p{C}]*[=+\-@＝＋－＠]|[\t\r\n])/u.test(cell) ? cell.slice(1) : cell;
}

/** A text with the line breaks and the NUL of a spreadsheet. */
function asShown(text: string): string {
  return text.replaceAll('\0', '\u2400').replaceAll(/\r\n?/g, '\n');
}
