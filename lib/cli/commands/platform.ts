import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { fields, table } from '../base/table.ts';

export const run: CommandRun<{ readonly json?: true }> = async (context, _args, { json }) => {
  const client = await clientOf(context);
  const platform = await dataOf(client.api.GET('/api/v1/platform'));
  if (json) {
    await context.terminal.printJson(platform);
    return EXIT.succeeded;
  }
  const { version, commit, region, agents, models, features, missing } = platform;
  const agentRows = agents.map(({ name, installed, versions, capabilities }) => [
    name,
    installed ? versions.join(', ') || null : 'not installed',
    Object.entries(capabilities)
      .filter(([, has]) => has)
      .map(([capability]) => capability)
      .join(', '),
  ]);
  const parts = [
    fields([
      ['version', commit === null ? version : `${version} (${commit.slice(0, 12)})`],
      ['region', region],
      ['models', models.map(({ name }) => name).join(', ')],
    ]),
    table(['AGENT', 'VERSION', 'CAN'], agentRows),
    `Features:\n${fields(features.map(({ name, on, detail }) => [name, `${on ? 'on ' : 'off'}  ${detail}`]))}`,
    `Not in this version:\n${fields(missing.map(({ name, reason }) => [name, reason]))}`,
  ];
  await context.terminal.print(parts.join('\n\n'));
  return EXIT.succeeded;
};
