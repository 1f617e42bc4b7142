import { Logger } from '@aws-lambda-powertools/logger';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { BashCommand, CommandEnd } from '../../../worker-container/commands/bash-command.ts';
import { aJob, aReceipt } from '../../lib/jobs/a-job.ts';
import { due } from '../../lib/jobs/due-effects.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { deployAll } from './deploy-all.ts';

export const ID = 'job_00000000000000000000000001';
const AT = '2026-11-20T10:00:00.000Z';

export const WELL: CommandEnd = { ended: 'exited', exit: { exitCode: 0, signal: null }, survivors: [] };

/** A success of a project with these bindings, none of which has acted, and a worker whose commands end as given. */
export async function deployingWorker(
  given: Readonly<Record<string, Partial<DeployBinding>>>,
  { job = {}, lag = 0 }: { readonly job?: Partial<Job>; readonly lag?: number } = {},
) {
  const deployment = quietDeployment({ lag });
  const success = {
    status: 'SUCCEEDED',
    reason: 'exited',
    attempt: 1,
    finished_at: AT,
    effects: due({ commands: [1] }),
  } as const;
  await deployment.store(aJob({ id: ID, ...success, ...job }));
  await deployment.output.putReceipt(
    aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID, attempt: 1, finished_at: AT }),
  );
  for (const [name, binding] of Object.entries(given)) await bind(name, binding);
  const ran: BashCommand[] = [];
  const ends: (CommandEnd | Error)[] = [];
  const stopping = new AbortController();

  async function bind(name: string, binding: Partial<DeployBinding>): Promise<void> {
    const id = `local_project.${name}`;
    const mode = binding.binding_mode ?? 'custom';
    if (mode === 'hosted_editor') throw new Error('it deploys nothing');
    const what = { binding_mode: mode, command: name, secrets: [], created_at: AT, updated_at: AT };
    await deployment.bindings.replace(undefined, {
      id,
      name,
      project_id: 'local_project',
      project: 'local_project',
      ...what,
      ...binding,
    });
  }

  const context = {
    ...deployment,
    ...{ env: ENV, workerId: 'worker-1', markPrefix: 'mark:', log: new Logger({ logLevel: 'SILENT' }) },
    signals: { listen: () => () => undefined },
    timing: {
      now: () => deployment.time.now,
      schedule: (run: () => void, delay: number) => deployment.time.schedule(run, delay),
    },
    machine: {
      folder: { make: async (path: string) => path, remove: async () => undefined },
      runCommand: async (command: BashCommand) => {
        ran.push(command);
        const end = ends.shift() ?? WELL;
        if (end instanceof Error) throw end;
        return end;
      },
    },
  };
  const deploy = async ({ machine = {}, ...changes }: { machine?: object; [name: string]: unknown } = {}) =>
    await deployAll(
      { ...context, ...changes, machine: { ...context.machine, ...machine } } as unknown as Parameters<
        typeof deployAll
      >[0],
      { id: ID },
      stopping.signal,
    );
  const records = async (): Promise<JobDeployment[]> => await deployment.deployments.list(ID);
  const commands = () => ran.map(({ command }) => command);
  return { deployment, deploy, ran, ends, records, commands };
}
