import { expect, test } from 'vitest';
import { originalLine } from '../../../console/src/diagrams/frame/original-line.ts';
import { suggestedName } from '../../../console/src/diagrams/suggested-name.ts';

test.each([
  ['a\nb\nc', 2, 2],
  // At the end, parsers name the line behind the last one.
  ['a\nb\n', 3, 2],
  ['a\nb\n\n\n', 9, 2],
  ['\n\na\nb', 2, 4],
  ['---\ntitle: x\n---\na\nb', 2, 5],
  ['---\r\ntitle: x\r\n---\r\na\r\nb', 2, 5],
  ['%% one\na\n  %% two\nb', 2, 4],
  ['%%{init: {}}%%\na\nb', 3, 3],
  ['', 7, 1],
  ['%% only', 1, 1],
])('the fault in %j at line %i of the parser is on line %i', (text, line, original) => {
  expect(originalLine(text, line)).toBe(original);
});

test.each([
  ['flowchart LR\n a --> b', [], 'flowchart'],
  ['sequenceDiagram\n a->>b: x', [], 'sequence'],
  ['stateDiagram-v2\n a --> b', [], 'state'],
  ['---\ntitle: Order & Überweisung\n---\nflowchart LR', [], 'order-uberweisung'],
  ['gantt\n title A plan', [], 'a-plan'],
  ['%% a comment\npie\n "a": 1', ['pie', 'pie-2'], 'pie-3'],
  ['pie\n title 漢字', [], 'pie'],
  ['???', [], 'diagram'],
  [`pie\n title ${'x'.repeat(80)}`, ['x'.repeat(64)], `${'x'.repeat(62)}-2`],
])('the name that is suggested for %j beside %j is %s', (text, taken, name) => {
  expect(suggestedName(text, taken)).toBe(name);
});
