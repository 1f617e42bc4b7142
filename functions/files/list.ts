import { Readable } from 'node:stream';
import { createFiles } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { listFiles as route } from '../../lib/contract/routes/files.ts';
import { fileList } from '../../lib/contract/schemas/jobs/files.ts';
import { listFiles } from '../../lib/jobs/output/reading/read-files.ts';

/** `GET /jobs/{id}/files` */
export const handler = handleJob(route, createFiles, async ({ query }, _call, { files }, found) => ({
  // Streamed because thousands of long paths can pass what Lambda buffers.
  body: Readable.from([JSON.stringify(fileList.parse(await listFiles(files, await found, query.attempt)))]),
}));
