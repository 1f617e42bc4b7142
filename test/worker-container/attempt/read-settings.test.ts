import { expect, it } from 'vitest';
import type { Profile } from '../../../lib/catalog/profiles.ts';
import type { JobTexts } from '../../../lib/jobs/store/job-texts.ts';
import { readSettings } from '../../../worker-container/attempt/attempt-settings.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';

type Context = Parameters<typeof readSettings>[0];

const PLAIN = { name: 'practice', agent: 'shell', env: {} } as unknown as Profile;
const WITH_SECRET = { ...PLAIN, env: { A: { secret: 'KEY' } } } as unknown as Profile;

/** What a job's attempt reads, and which secrets were asked for. */
async function settings({
  profile,
  texts = { prompt: 'do it', project: 'p' } as JobTexts,
  secrets = true,
  reads,
}: {
  profile?: Profile | undefined;
  texts?: JobTexts;
  secrets?: boolean;
  reads?: Context['reads'];
}) {
  const asked: unknown[] = [];
  const context = {
    profiles: { get: async () => profile },
    texts: { get: async () => texts },
    rules: {
      get: async (ids: readonly string[]) => ({
        rules: ids.filter((id) => id !== 'gone').map((id) => ({ id })),
        unknown: ids.filter((id) => id === 'gone'),
      }),
    },
    ...(secrets && {
      secrets: {
        read: async (...given: unknown[]) => {
          asked.push(given);
          return new Map([['KEY', 'value']]);
        },
      },
    }),
    reads,
  } as unknown as Context;
  return { ...(await readSettings(context, aRunningJob())), asked };
}

it('an attempt has its profile, texts, rules and secrets', async () => {
  const texts = { prompt: 'do it', rule_ids: ['r1', 'r2'] } as unknown as JobTexts;
  expect(await settings({ profile: WITH_SECRET, texts })).toEqual({
    ...{ profile: WITH_SECRET, texts, rules: [{ id: 'r1' }, { id: 'r2' }] },
    ...{ secrets: new Map([['KEY', 'value']]), asked: [[['KEY'], 'practice']] },
  });
});

it('secrets are read only for a profile that names some, and where there are any', async () => {
  expect(await settings({ profile: PLAIN })).toMatchObject({ secrets: new Map(), asked: [] });
  expect(await settings({ profile: WITH_SECRET, secrets: false })).toMatchObject({ secrets: new Map() });
});

it('texts that the claim has read are not read again', async () => {
  const known = { prompt: 'known', project: 'p' } as JobTexts;
  const reads = { texts: async () => known } as unknown as Context['reads'];
  expect(await settings({ profile: PLAIN, reads })).toMatchObject({ texts: known });
});

it('a profile or a rule that is gone is named', async () => {
  await expect(settings({})).rejects.toThrow('profile practice no longer exists');
  const texts = { prompt: 'do it', rule_ids: ['r1', 'gone'] } as unknown as JobTexts;
  await expect(settings({ profile: PLAIN, texts })).rejects.toThrow("the job's rules no longer exist: gone");
});
