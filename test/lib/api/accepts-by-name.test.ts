import { expect, it } from 'vitest';
import { acceptsByName } from '../../../lib/api/accepts-by-name.ts';

it.each([
  ['text/event-stream', true],
  ['application/json, TEXT/Event-Stream ; q=0.5', true],
  ['text/event-stream;q=0.001', true],
  ['text/event-stream;charset=utf-8;q=0.0', false],
  ['text/event-stream;q=0', false],
  ['text/*', false],
  ['*/*', false],
  ['application/json;x=text/event-stream', false],
  ['', false],
])('whether "%s" names the media type', (accept, isNamed) => {
  expect(acceptsByName({ headers: { Host: 'text/event-stream', ACCEPT: accept } }, 'text/event-stream')).toBe(isNamed);
});

it('without the header, no media type is named', () => {
  expect(acceptsByName({ headers: {} }, 'text/plain')).toBe(false);
  expect(acceptsByName({ headers: { accept: undefined } }, '')).toBe(true);
});
