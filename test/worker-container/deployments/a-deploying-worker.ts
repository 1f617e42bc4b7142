import { Logger } from '@aws-lambda-powertools/logger';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { BashCommand, CommandEnd } from '../../../worker-container/commands/bash-command.ts';
import { runDeployments } from '../../../worker-container/deployments/deploy-commands.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
import { due } from '../../lib/jobs/due-effects.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

export const ID = 'job_00000000000000000000000001';
const AT = '2026-11-20T10:00:00.000Z';
/** More questions for bindings than a test needs. */
const TOO_MANY = 20;

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
  await deployment.store(aJob({ id: ID, ...success, effects: due({ commands: [1] }), ...job }));
  for (const [name, binding] of Object.entries(given)) await bind(name, binding);
  const ran: BashCommand[] = [];
  const ends: (CommandEnd | Error)[] = [];
  const warnings: unknown[] = [];
  const logger = new Logger({ logLevel: 'SILENT' });
  const log = Object.assign(logger, { warn: (line: unknown) => void warnings.push(line) });
  const stopping = new AbortController();
  let asked = 0;

  async function bind(name: string, binding: Partial<DeployBinding>): Promise<void> {
    const { deployments, bindings } = deployment;
    const id = `local_project.${name}`;
    const mode = binding.binding_mode ?? 'custom';
    if (mode === 'hosted_editor') throw new Error('it deploys nothing');
    const what = { binding_mode: mode, command: name, secrets: [], created_at: AT, updated_at: AT };
    await bindings.replace(undefined, {
      id,
      name,
      project_id: 'local_project',
      project: 'local_project',
      ...what,
      ...binding,
    });
    const pending = { job_id: ID, attempt: 1, binding: id, name, mode, state: 'pending', attempts: 0 } as const;
    await deployments.replace(undefined, { ...pending, created_at: AT, due_at: AT });
  }

  const context = {
    ...deployment,
    ...{ env: ENV, workerId: 'worker-1', markPrefix: 'mark:', log },
    timing: {
      now: () => deployment.time.now,
      schedule: (run: () => void, delay: number) => deployment.time.schedule(run, delay),
    },
    bindings: {
      list: async (project: string) => await deployment.bindings.list(project),
      get: async (id: string) => {
        asked += 1;
        if (asked > TOO_MANY) throw new Error('it asks for bindings without end');
        return await deployment.bindings.get(id);
      },
    },
    machine: {
      runCommand: async (command: BashCommand) => {
        ran.push(command);
        const end = ends.shift() ?? WELL;
        if (end instanceof Error) throw end;
        return end;
      },
    },
  };
  const deploy = async (changes: object = {}, id = ID) =>
    await runDeployments(
      { ...context, ...changes } as unknown as Parameters<typeof runDeployments>[0],
      { id },
      stopping.signal,
    );
  const records = async (): Promise<JobDeployment[]> => await deployment.deployments.list(ID);
  const states = async () => (await records()).map(({ name, state }) => `${name} ${state}`);
  const change = async (name: string, differences: Partial<JobDeployment>) => {
    const known = (await records()).find((one) => one.name === name);
    if (known === undefined) throw new Error(`there is no ${name}`);
    await deployment.deployments.replace(known, { ...known, ...differences });
  };
  const commands = () => ran.map(({ command }) => command);
  const read = async (id = ID) => (await deployment.jobs.get(id, { consistent: true })) as Job;
  return { deployment, context, deploy, ran, ends, warnings, stopping, records, states, change, commands, read };
}
