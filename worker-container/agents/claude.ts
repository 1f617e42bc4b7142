import { join } from 'node:path';
import { claudeOutput } from '../../lib/vendors/claude/claude-output.ts';
import { claudeText, createClaudeDrive } from '../drives/claude-stream.ts';
import type { DrivePort } from '../drives/drive.ts';
import type { Agent } from './agent.ts';
import { CLAUDE_HOME, claudeEnvironment } from './claude-environment.ts';
import { permissionArguments } from './claude-permissions.ts';
import { claudeTools } from './claude-tools.ts';
import { claudeVersion, findClaude } from './vendor-binary.ts';

/** Anthropic's claude CLI. Observed with version 2.1.328. */
export const claude: Agent = {
  ...claudeOutput,
  name: 'claude',
  // SIGTERM ends the tools too. So does SIGINT, but then claude exits with 0.
  politeSignal: 'SIGTERM',
  sessionFolder: join(CLAUDE_HOME, 'projects'),
  takesTools: true,

  cliVersion: ({ PROMPTQ_CLAUDE_BIN }) => claudeVersion(PROMPTQ_CLAUDE_BIN),

  async prepare(run) {
    const command = await findClaude(run.env.PROMPTQ_CLAUDE_BIN);
    const talk = (port: DrivePort) => createClaudeDrive(run.prompt, port);
    const drive = run.drive === 'exec' ? ({ name: 'exec' } as const) : ({ name: 'stream-json', talk } as const);
    const tools = await claudeTools(run);
    return {
      command,
      args: [
        // claude streams only with `--verbose`.
        ...['--print', '--output-format=stream-json', '--verbose'],
        ...(drive.name === 'exec' ? [] : ['--input-format=stream-json', '--replay-user-messages']),
        // The working folder may instruct the model, not configure claude: its settings could send the key elsewhere.
        ...['--setting-sources=user', '--strict-mcp-config', `--add-dir=${run.cwd}`],
        ...['--disallowedTools=ScheduleWakeup', ...permissionArguments(run.sandbox, tools.allowed), ...tools.args],
        ...(run.model === undefined ? [] : [`--model=${run.model}`]),
        ...(run.resume === undefined ? [] : [`--resume=${run.resume}`]),
        ...run.args,
      ],
      env: await claudeEnvironment(run),
      stdin: claudeText(run.prompt),
      drive,
    };
  },
};
