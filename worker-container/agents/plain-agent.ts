import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { PlainCli, PlainRun } from '../../lib/contract/agents/definition.ts';
import type { AgentName } from '../../lib/contract/agents.ts';
import { plainOutput } from '../../lib/vendors/plain/plain-output.ts';
import type { Agent } from './agent.ts';

interface PlainAgent {
  readonly name: AgentName;
  readonly cli: PlainCli;
  /** The variable with the path of the CLI. */
  readonly binary?: string | undefined;
}

/** The adapter of a CLI that its definition describes. */
export function plainAgent({ name, cli, binary }: PlainAgent): Agent {
  return {
    ...plainOutput(cli),
    name,
    politeSignal: cli.politeSignal,
    sessionFolder: cli.sessionFolder,
    takesTools: false,

    async prepare(run) {
      const { prompt, model, resume, sandbox, cwd, attemptDir, env } = run;
      const plain: PlainRun = { prompt, model, resume, sandbox, cwd, folder: attemptDir };
      const given = binary === undefined ? undefined : env[binary];
      return {
        command: await findCli(cli.command, given ?? env.PATH ?? '', given !== undefined),
        args: [...cli.arguments(plain), ...run.args],
        env: { ...env, ...cli.environment?.(plain) },
        stdin: cli.readsStdin ? prompt : '',
        drive: { name: 'exec' },
      };
    },
  };
}

/** @throws Error with a plain message if the CLI can't be executed */
async function findCli(command: string, place: string, isFile: boolean): Promise<string> {
  // A relative folder would differ between this process and the job's working folder.
  const files = isFile
    ? [place]
    : place
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, command));
  for (const file of files) if (await isExecutable(file)) return file;
  throw new Error(`the CLI ${command} can't be executed: ${isFile ? place : `it is in no folder of ${place}`}`);
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
