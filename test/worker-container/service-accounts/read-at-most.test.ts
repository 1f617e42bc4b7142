import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readAtMost } from '../../../worker-container/service-accounts/read-at-most.ts';

test('an answer is read to its end, and no further than is allowed', async () => {
  const whole = new PassThrough();
  whole.write('1234');
  whole.end('5678');
  expect((await readAtMost(8, whole)).toString()).toBe('12345678');

  const endless = new PassThrough();
  const reading = readAtMost(8, endless);
  endless.write('1234');
  endless.write('56789');
  await expect(reading).rejects.toThrow('more than 8 bytes');
  expect(endless.destroyed).toBe(true);
});

test('an answer ends with its stream, even if others keep the pipe open', async () => {
  const open = new PassThrough();
  const reading = readAtMost(8, open);
  open.once('data', () => open.destroy());
  open.write('1234');
  expect((await reading).toString()).toBe('1234');
});
