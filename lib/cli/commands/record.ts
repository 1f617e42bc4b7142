import { answerOf } from '../../client/data-of.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { requireZip, saveFile } from '../jobs/save-file.ts';

/** Downloads the record of a job. */
export const run: CommandRun<{ readonly output?: string }> = async (context, [id = ''], { output = `${id}.zip` }) => {
  const client = await stoppableClient(context);
  const fetched = async () => {
    const init = { params: { path: { id } }, headers: { accept: 'application/zip' }, parseAs: 'stream' } as const;
    return (await answerOf(client.api.GET('/api/v1/jobs/{id}/record', init))).response.body;
  };
  const bytes = await saveFile(output, { policy: client.policy, fetched, check: requireZip });
  await context.terminal.print(output);
  await context.terminal.note(`${bytes} bytes; manifest.json in it lists all parts`);
  return EXIT.succeeded;
};
