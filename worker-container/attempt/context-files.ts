import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { giveTree } from '../service-accounts/untrusted-files.ts';
import type { AgentAttempt } from './attempt.ts';

/**
 * Creates the folder with what the job's project has for its agents: its diagrams, as of now. It lies beside the job's
 * folder, so that nothing in it is a change of the job, and is removed with the attempt. The agent may change its copy.
 * @returns the variable that leads to it
 */
export async function makeContext({
  worker,
  job,
  reads,
  folder,
}: Pick<AgentAttempt, 'worker' | 'job' | 'reads' | 'folder'>): Promise<{ readonly PROMPTQ_CONTEXT: string }> {
  const context = join(folder, 'context');
  const diagrams = join(context, 'diagrams');
  mkdirSync(diagrams, { recursive: true, mode: 0o700 });
  if (reads.hasDiagrams()) {
    await rethrowTransient(async () => {
      for await (const { name, text } of worker.diagrams.withTexts(job.project_id))
        await writeFile(join(diagrams, `${name}.mmd`), text, { mode: 0o600 });
    });
  }
  await giveTree(context, worker.account);
  return { PROMPTQ_CONTEXT: context };
}
