import { spawn } from 'node:child_process';
import { isTerminal, STATUSES } from '../../lib/contract/statuses.ts';
import { isLongRun } from '../vitest/amount.ts';
import { SharedPart } from '../vitest/shared-part.ts';
import { claudeCli } from '../worker-container/agents/claude-cli.ts';
import { type OwnService, type ServiceUnderTest, startService, waitFor } from './local-service.ts';

/** Less waiting than by default, and what several files need; the rest are the defaults. */
const SETTINGS = {
  // A probe would start what waits for an account that is never linked.
  PROMPTQ_ACCOUNT_PROBE_SECONDS: '3600',
  PROMPTQ_ANSWER_WAIT_SECONDS: '2',
  PROMPTQ_API_SCOPE_ENFORCE: '1',
  PROMPTQ_CALLS_TO_LOOPBACK: '1',
  PROMPTQ_CALL_PAUSES: '1,1',
  PROMPTQ_REPOSITORY_LOOPBACK: '1',
  PROMPTQ_WATCH_SECONDS: '2',
};

const shared = new SharedPart<OwnService>({
  start: async () => {
    // What these files do with the real claude is in the long run: not all machines have it.
    const claude: Record<string, string> = isLongRun ? { PROMPTQ_CLAUDE_BIN: await claudeCli() } : {};
    const service = await startService({ env: { ...SETTINGS, ...claude } });
    endWithThisProcess(service);
    return service;
  },
  afterFile: async (service) => {
    await cancelJobs(service);
    await service.checkTraces();
  },
  end: async (service) => {
    const code = await service.stop();
    if (code !== 0) throw new Error(`the shared service ended with ${code}:\n${service.output()}`);
  },
});

/**
 * The local run that test files of one process share: a third of a short file's time is the start of its service. For files
 * that neither look at all that is in it, such as a list without a filter, nor change what concerns the jobs of others. Each
 * file ends with the checks of `OwnService.stop`, and its jobs are cancelled.
 */
export async function sharedService(): Promise<ServiceUnderTest> {
  return await shared.get();
}

/** Cancels what a file has left, which would take the slots and the worker's time of the next one's jobs. */
async function cancelJobs({ api }: ServiceUnderTest): Promise<void> {
  for (const status of STATUSES.filter((one) => one !== 'DRAFT' && !isTerminal(one))) {
    await waitFor(async () => {
      const { items } = (await api('GET', `/jobs?status=${status}&limit=200`)).json as { items: { id: string }[] };
      for (const { id } of items) await api('POST', `/jobs/${id}/cancel`);
      return items.length === 0;
    });
  }
}

/** The last file of a process ends nothing. Removes the home once the service has stopped. */
function endWithThisProcess({ pid, home }: ServiceUnderTest): void {
  const watch = 'while kill -0 "$1" 2> /dev/null; do sleep 1; done; rm -rf "$2"';
  spawn('sh', ['-c', watch, 'sh', String(pid), home], { detached: true, stdio: 'ignore' }).unref();
  process.once('exit', () => {
    try {
      process.kill(pid);
    } catch {
      // It has ended before.
    }
  });
}
