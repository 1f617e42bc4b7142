import * as z from 'zod';

/*
 * Tables for spreadsheets, as RFC 4180 has them. A spreadsheet takes a text for a formula if it begins with certain
 * characters, however it is quoted, so such a text gets an apostrophe in front. What a text is follows from its type: -1 as
 * a number is not one. The rule can be undone: an apostrophe in front of what would be taken for a formula is doubled.
 */

/** Spreadsheets take UTF-8 for another encoding without it. */
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';

/** Spaces, control and invisible characters are skipped in front of a formula; full-width signs count as signs. */
const FORMULA = /^'*(?:[\s\p{C}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** Spreadsheets and parsers end a cell at a NUL; this is the picture of one. */
const NUL = { text: '\0', picture: '\u2400' } as const;

/** A column: its name, and the members that lead to its value. */
interface Column {
  readonly name: string;
  readonly path: readonly string[];
}

/** The columns of rows of a schema: each member, and those of objects as `state_reason.code`. */
export function columnsOf(schema: z.ZodObject, path: readonly string[] = []): Column[] {
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const inner = bare(member);
    const whole = [...path, name];
    return inner instanceof z.ZodObject ? columnsOf(inner, whole) : [{ name: whole.join('.'), path: whole }];
  });
}

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? bare(schema.unwrap()) : schema;
}

/** The first line of a table, with the mark that makes it UTF-8. */
export function headerLine(columns: readonly Column[]): string {
  return `${BYTE_ORDER_MARK}${line(columns.map(({ name }) => quoted(name)))}`;
}

/** A row of a table. */
export function rowLine(columns: readonly Column[], row: object): string {
  return line(columns.map(({ path }) => cell(valueAt(row, path))));
}

function valueAt(row: object, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : undefined,
    row,
  );
}

/**
 * A cell. A text is quoted and nothing else is, so that a spreadsheet that is asked to takes what is quoted for text, such
 * as `0012`. Null is an empty cell.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(NUL.text, NUL.picture);
  return quoted(FORMULA.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function line(cells: readonly string[]): string {
  return `${cells.join(',')}${LINE_END}`;
}
