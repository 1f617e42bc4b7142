import { expect, it } from 'vitest';
import { rethrowTransient, SettingsUnreadError } from '../../../worker-container/secrets/transient-error.ts';

const failing = async (error: unknown) =>
  await rethrowTransient(() => Promise.reject(error)).catch((thrown: unknown) => thrown);
const named = (name: string) => Object.assign(new Error('no'), { name });
const coded = (code: unknown) => Object.assign(new Error('no'), { code });
const answered = (httpStatusCode: number) => Object.assign(new Error('no'), { $metadata: { httpStatusCode } });

it('a service that was busy or unreachable is no fault of the job, with the cause kept', async () => {
  const names = ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'];
  const others = ['TooManyRequestsException', 'RequestThrottled', 'SlowDown', 'TimeoutError', 'RequestTimeout'];
  const codes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT'];
  for (const error of [...[...names, ...others].map(named), ...codes.map(coded), answered(500), answered(503)]) {
    const thrown = await failing(error);
    expect(thrown).toBeInstanceOf(SettingsUnreadError);
    expect((thrown as Error).cause).toBe(error);
  }
});

it('any other error stays what it is', async () => {
  for (const error of [
    new Error('no'),
    named('AccessDenied'),
    coded('ENOENT'),
    coded(7),
    answered(499),
    'no',
    undefined,
  ])
    expect(await failing(error)).toBe(error);
  expect(await rethrowTransient(async () => 'read')).toBe('read');
});
