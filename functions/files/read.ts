import { asDownload } from '../../lib/api/redirect.ts';
import { createFiles } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { readFile as route } from '../../lib/contract/routes/files.ts';
import { readFile } from '../../lib/jobs/output/reading/read-files.ts';

/** `GET /jobs/{id}/files/content` */
export const handler = handleJob(route, createFiles, async ({ query }, _call, { files }, found) => {
  const { path, attempt } = query;
  const { body, disposition } = await readFile(files, await found, { attempt, path });
  return { headers: asDownload(disposition), body };
});
