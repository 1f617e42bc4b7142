import { expect, test } from 'vitest';
import { Shutdown } from '../../../../lib/local/run/shutdown.ts';

test('stages end one after the other, the parts of one side by side', async () => {
  const shutdown = new Shutdown(
    [
      ['worker', 1_000],
      ['service', 1_000],
    ],
    () => undefined,
  );
  const seen: string[] = [];
  const second = Promise.withResolvers<void>();
  shutdown.add('service', async () => seen.push('service'));
  shutdown.add('worker', async () => {
    seen.push('worker 1 begins');
    await second.promise;
    seen.push('worker 1 ends');
  });
  shutdown.add('worker', async () => {
    seen.push('worker 2 begins');
    second.resolve();
  });
  await shutdown.run();
  expect(seen).toEqual(['worker 1 begins', 'worker 2 begins', 'worker 1 ends', 'service']);
});

test('a part that fails or does not end does not block the others', async () => {
  const logged: string[] = [];
  const shutdown = new Shutdown(
    [
      ['worker', 20],
      ['service', 1_000],
    ],
    (line) => logged.push(line),
  );
  let hasEnded = false;
  shutdown.add('worker', async () => await new Promise(() => undefined));
  shutdown.add('worker', async () => Promise.reject(new Error('broken')));
  shutdown.add('service', async () => {
    hasEnded = true;
  });
  await shutdown.run();
  expect(hasEnded).toBe(true);
  expect(logged).toEqual(['worker: Error: broken', 'worker: not ended within 20 ms, left behind']);
});
