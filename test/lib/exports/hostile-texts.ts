const FORMULA_SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠'] as const;

/** Texts that do something in spreadsheets, terminals or parsers which take them for more than text. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...FORMULA_SIGNS.map((sign) => `${sign}1+1`),
  ...FORMULA_SIGNS.map((sign) => ` ${sign}HYPERLINK("http://127.0.0.1/?"&A1,"x")`),
  ...FORMULA_SIGNS.map((sign) => `\u200b${sign}cmd|'/c calc'!A0`),
  ...['\t', '\r', '\n', '\r\n'].map((blank) => `${blank}=1+1`),
  ...['\t', '\r', '\n', '\u00a0', '\u3000', '\ufeff', '\0', '\u0001', '\u202e'].map((blank) => `${blank}@SUM(1)`),
  ...["'=1+1", "''=1+1", "'", "'text", "' =1"],
  ...['"', '""', '"=1+1"', '","', 'a"b', '"\r\n"', '=1","=2', 'a,b;c\td|e'],
  ...['a\nb', 'a\r\nb', 'a\rb', '\n', 'ends in a break\n', 'line\u2028separator', 'next\u0085line'],
  ...['\u202egnp.exe', '\u2066isolated\u2069', '\u200frtl', 'a\u0000b', '\u0007bell', '\u001b[2Jcleared'],
  ...[' leading', 'trailing ', '   ', '-1', '+49 30 1234', '1e5', '0012', '2026-11-29', 'true', 'TRUE()', '#REF!'],
  ...['<script>alert(1)</script>', '%0A=1+1', '\\n=1', '{=1+1}', '🙂=1', 'e\u0301'],
];
