import { expect, onTestFinished, test } from 'vitest';
import type { Profile } from '../../../lib/catalog/profiles.ts';
import type { Agent } from '../../../worker-container/agents/agent.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { serveTools } from '../../../worker-container/tools/attempt-tools.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** The tools of an attempt, and what masks its output. */
async function toolsOf(agent: Agent, profile: Partial<Profile> = {}) {
  const redaction = new Redaction([]);
  const env = { PROMPTQ_VERSION: '1.0.0', PROMPTQ_ANSWER_WAIT_SECONDS: 0 };
  const context = { ...quietDeployment(), env, log: { warn: () => undefined } };
  const attempt = { cwd: '/work', attachments: '/attachments', redaction, onProgress: () => undefined };
  const tools = await serveTools(context as unknown as Parameters<typeof serveTools>[0], {
    ...attempt,
    ...{ agent, profile: profile as Profile, ending: new Ending(), job: aRunningJob(), watch: new JobWatch() },
  });
  onTestFinished(async () => await tools?.close());
  return { tools, redaction };
}

test('the key of the tools is shown in no output of the attempt', async () => {
  const { tools, redaction } = await toolsOf(codex);
  expect(redaction.text(`the key ${tools?.key}`)).toBe('the key ***');
});

test('an agent that takes no tools, and one whose profile turns them off, gets none', async () => {
  expect((await toolsOf({ ...codex, takesTools: false })).tools).toBeUndefined();
  expect((await toolsOf(codex, { tools: 'off' })).tools).toBeUndefined();
});
