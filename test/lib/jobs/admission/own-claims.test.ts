import { describe, expect, it, vi } from 'vitest';
import { OwnClaims } from '../../../../lib/jobs/admission/own-claims.ts';
import { aJob } from '../a-job.ts';

const job = aJob();

describe('a version of a job', () => {
  it('is claimed by one slot at a time', async () => {
    const claims = new OwnClaims();
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = claims.attempt(job, () => promise);
    const second = vi.fn(async () => 'second');
    expect(await claims.attempt(job, second)).toBeUndefined();
    expect(second).not.toHaveBeenCalled();
    expect(claims.inProgress).toBe(1);
    resolve('first');
    expect(await first).toBe('first');
    expect(claims.inProgress).toBe(0);
  });

  it('is not claimed a second time after a success; a later version may be', async () => {
    const claims = new OwnClaims();
    await claims.attempt(job, async () => 'claimed');
    expect(claims.has(job)).toBe(true);
    expect(await claims.attempt(job, async () => 'again')).toBeUndefined();
    expect(claims.has({ ...job, version: job.version + 1 })).toBe(false);
  });

  it.each<[string, () => Promise<undefined>]>([
    ['could not be claimed', async () => undefined],
    ['whose claim failed', async () => Promise.reject(new Error('no answer'))],
  ])('that %s may be tried again', async (_what, claim) => {
    const claims = new OwnClaims();
    await claims.attempt(job, claim).catch(() => undefined);
    expect(claims.has(job)).toBe(false);
    expect(await claims.attempt(job, async () => 'claimed')).toBe('claimed');
  });

  it('is forgotten after 64 further claims, not before', async () => {
    const claims = new OwnClaims();
    const versions = Array.from({ length: 65 }, (_, version) => ({ ...job, version }));
    const known = () => versions.filter((one) => claims.has(one)).length;
    for (const one of versions.slice(0, 64)) await claims.attempt(one, async () => 'claimed');
    expect(known()).toBe(64);
    for (const one of versions.slice(64)) await claims.attempt(one, async () => 'claimed');
    expect(known()).toBe(64);
    expect(versions.map((one) => claims.has(one)).indexOf(true)).toBe(1);
  });
});
