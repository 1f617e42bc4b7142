import { expect, it } from 'vitest';
import { DeploymentSecrets } from '../../../lib/access/deployment-secrets.ts';

/** Secrets whose source is read at times that a test sets. */
function secretsAt(answers: (string | undefined | Error)[]) {
  const state = { now: 0, reads: [] as string[] };
  const source = async (name: string) => {
    state.reads.push(name);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { state, secrets: new DeploymentSecrets(source, () => state.now) };
}

it('a secret is read once in half a minute, however many ask, and each one for itself', async () => {
  const { state, secrets } = secretsAt([' first\n\n second ', undefined, 'third']);
  const lines = async () => await secrets.lines('perimeter-tokens');
  expect(await Promise.all([lines(), lines()])).toEqual([
    ['first', 'second'],
    ['first', 'second'],
  ]);
  expect(await secrets.lines('telegram-bot-token')).toEqual([]);
  state.now = 29_999;
  expect(await lines()).toEqual(['first', 'second']);
  expect(state.reads).toEqual(['perimeter-tokens', 'telegram-bot-token']);
  state.now = 30_000;
  expect(await lines()).toEqual(['third']);
});

it('a secret that cannot be read is read again for the next call, and no former value counts meanwhile', async () => {
  const { state, secrets } = secretsAt(['first', new Error('throttled'), 'second']);
  expect(await secrets.lines('perimeter-tokens')).toEqual(['first']);
  state.now = 30_000;
  await expect(secrets.lines('perimeter-tokens')).rejects.toThrow('throttled');
  expect(await secrets.lines('perimeter-tokens')).toEqual(['second']);
});
