import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { keptAlive } from '../../../lib/api/kept-alive.ts';
import { answering, closeGateway, serving } from '../local/gateway/streaming-under-test.ts';

afterEach(closeGateway);

const slow = async () => await setTimeout(600, '{"a":1}');

test('slow work gives its JSON through a proxy that waits for less, and silent work does not', async () => {
  const limits = { silenceMs: 200 };
  const kept = await fetch(
    await serving(
      answering(() => keptAlive(slow(), 50)),
      limits,
    ),
    { method: 'POST' },
  );
  expect([kept.status, await kept.json()]).toEqual([200, { a: 1 }]);
  await closeGateway();
  const silent = await fetch(
    await serving(
      answering(() => keptAlive(slow(), 5_000)),
      limits,
    ),
    { method: 'POST' },
  );
  await expect(silent.text()).rejects.toThrow();
});

test('work that fails later never looks like an answer', async () => {
  const failing = setTimeout(60).then(() => Promise.reject(new Error('late')));
  await expect(text(keptAlive(failing, 10))).rejects.toThrow('late');
});
