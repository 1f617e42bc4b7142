import { createOutputStore } from '../../composition/services.ts';
import { AgentSessionStore } from '../../jobs/output/agent-sessions/agent-session-store.ts';
import { AttachmentStore } from '../../jobs/output/attachments/attachment-store.ts';
import { objectClient } from '../../platform/aws/clients.ts';
import type { Core } from './core.ts';
import { createJobBody } from './services.ts';

/** The services that read the whole record of a job. */
export function createRecord(core: Core) {
  const objects = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  const bucket = core.env.OUTPUT_BUCKET;
  return {
    ...createJobBody(core),
    clock: core.clock,
    output: createOutputStore({ ...core, objects }),
    attachments: new AttachmentStore(objects, bucket),
    sessions: new AgentSessionStore(objects, bucket),
    files: { s3: objects, bucket },
  };
}
