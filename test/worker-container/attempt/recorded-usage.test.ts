import { Logger } from '@aws-lambda-powertools/logger';
import { expect, test } from 'vitest';
import type { Usage } from '../../../lib/contract/usage.ts';
import { receiptSchema } from '../../../lib/jobs/receipts/receipt.ts';
import { saveSession } from '../../../worker-container/attempt/attempt-session.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const HUGE: Usage = {
  input_tokens: Number.POSITIVE_INFINITY,
  cached_input_tokens: Number.NaN,
  output_tokens: 1e300,
  reasoning_output_tokens: 0,
};
const meter = { push: () => undefined, reset: () => undefined, usage: () => HUGE };

test.each([
  { what: 'reports', agent: {}, reported: HUGE },
  {
    what: 'writes into its session',
    agent: { sessionFolder: 'sessions', createMeter: () => meter },
    reported: undefined,
  },
])('a usage that an agent $what can be read again from the receipt', ({ agent, reported }) => {
  const worker = { ...quietDeployment(), log: new Logger({ logLevel: 'SILENT' }) };
  const prepared = { agent: { name: 'codex', ...agent }, profile: {}, cwd: '/', resumed: undefined, origin: {} };
  const attempt = { worker, job: aRunningJob(), files: { agent: '/' }, redaction: new Redaction() };
  const session = saveSession(attempt as never, prepared as never, () => undefined);
  const receipt = { ...aReceipt({ kind: 'succeeded', reason: 'exited' }), ...session.usage(reported) };
  const read = receiptSchema.parse(JSON.parse(JSON.stringify(receipt)));
  expect(read.usage).toEqual({
    input_tokens: 1e12,
    cached_input_tokens: 0,
    output_tokens: 1e12,
    reasoning_output_tokens: 0,
  });
});
