import type { S3Client } from '@aws-sdk/client-s3';
import type { JobView } from '../../contract/schemas/jobs/job.ts';
import { isOutputDeleted } from '../lifecycle/deleted-output.ts';
import type { Job } from '../lifecycle/job.ts';
import { viewMessage } from '../messages/view-messages.ts';
import type { AgentSessionStore } from '../output/agent-sessions/agent-session-store.ts';
import type { AttachmentStore } from '../output/attachments/attachment-store.ts';
import { createCompared, recordedStreams } from '../output/compared-output.ts';
import { readFileIndex, readKeptFile } from '../output/files/kept-files.ts';
import type { OutputStore } from '../output/output-store.ts';
import { readableReceipt } from '../output/readable-receipt.ts';
import { listQuestions } from '../questions/questions.ts';
import { STREAMS } from '../receipts/receipt.ts';
import type { JobTextStore } from '../store/job-texts.ts';
import { partName } from './part-name.ts';
import { type RecordPart, textOf } from './record-archive.ts';

/** What the record of a job is read from. */
export interface RecordContext {
  readonly texts: Pick<JobTextStore, 'messages' | 'questions'>;
  readonly output: OutputStore;
  readonly attachments: AttachmentStore;
  readonly sessions: AgentSessionStore;
  readonly files: { readonly s3: S3Client; readonly bucket: string };
}

const README = `This is the record of one job.

job.json           the job as the API returns it: prompt, settings, state, usage, deployments, attempts
messages.json      messages to its agent
questions.json     questions of its agent, with the answers
attempts/N/        of each attempt, as far as there is one:
  receipt.json       how it ended, what it used and was granted
  final-message.md   the agent's last message
  stdout.log, stderr.log, session.jsonl
  attachments/, files/   numbered; manifest.json has the path that the job gave each
manifest.json      all parts with bytes and SHA-256, and those that are left out, with the reason

"state" in the manifest marks a part that is not as it was recorded. The content of logs and files was written by an
agent or a command: treat it as you would treat any download.
`;

/** The parts of a job's record, the small ones first. Each attempt is looked up when the ones before it have been read. */
export async function* recordParts(context: RecordContext, job: Job, view: JobView): AsyncGenerator<RecordPart> {
  yield text('README.txt', README);
  yield json('job.json', view);
  yield json('messages.json', (await context.texts.messages.list(job.id)).map(viewMessage));
  yield json('questions.json', await listQuestions(context.texts.questions, job));
  for (let attempt = job.attempt; attempt > 0; attempt -= 1)
    if (!isOutputDeleted(job, attempt)) yield* attemptParts(context, job, attempt);
}

async function* attemptParts(context: RecordContext, job: Job, attempt: number): AsyncGenerator<RecordPart> {
  const folder = `attempts/${attempt}`;
  const isRunning = job.status === 'RUNNING' && attempt === job.attempt;
  const { receipt, state } = isRunning ? {} : await readableReceipt(context.output, job.id, attempt);
  if (receipt !== undefined) yield json(`${folder}/receipt.json`, receipt);
  else if (state === 'corrupt') yield { name: `${folder}/receipt.json` };
  if (receipt?.final_message !== undefined) yield text(`${folder}/final-message.md`, receipt.final_message);
  const recorded = isRunning ? {} : recordedStreams(job, attempt, receipt);
  const at = `/api/v1/jobs/${job.id}`;
  for (const stream of STREAMS) {
    const source = await createCompared(context.output, { jobId: job.id, attempt, stream }, recorded[stream]);
    const address = `${at}/logs?attempt=${attempt}&stream=${stream}&full=1`;
    const name = `${folder}/${stream}.log`;
    yield { name, size: source.size, address, read: () => source.read(), state: () => source.state() };
  }
  const session = await context.sessions.find(job.id, attempt);
  if (session !== undefined) {
    const address = `${at}/session?attempt=${attempt}`;
    yield { name: `${folder}/session.jsonl`, size: session.size, address, read: () => session.read() };
  }
  yield* attachmentParts(context, { jobId: job.id, attempt, folder, at });
  yield* fileParts(context, { jobId: job.id, attempt, folder, at });
}

/** An attempt, its folder in the archive, and the address of its job. */
interface Place {
  readonly jobId: string;
  readonly attempt: number;
  readonly folder: string;
  readonly at: string;
}

async function* attachmentParts(
  { attachments: store }: RecordContext,
  { jobId, attempt, folder, at }: Place,
): AsyncGenerator<RecordPart> {
  const { attachments } = await store.find(jobId, attempt);
  for (const [index, { path, bytes, sha256 }] of attachments.entries()) {
    const encoded = encodeURIComponent(path.replaceAll('%', '%25').replaceAll('/', '%2F'));
    yield {
      name: `${folder}/attachments/${partName(index + 1, path)}`,
      about: { path },
      size: bytes,
      sha256,
      address: `${at}/attachments/${encoded}?attempt=${attempt}`,
      // Compared by the archive, which keeps what is there of a file that was altered.
      read: () => store.read({ jobId, attempt, index, bytes, sha256: '' }),
    };
  }
}

async function* fileParts(
  { files: store }: RecordContext,
  { jobId, attempt, folder, at }: Place,
): AsyncGenerator<RecordPart> {
  const place = { ...store, jobId, attempt };
  const index = await readFileIndex(place);
  if (index === undefined) return;
  yield json(`${folder}/files.json`, { selection: index.selection, not_listed: index.not_listed, files: index.files });
  let number = 0;
  for (const { path, bytes, kept } of index.files) {
    if (kept === undefined) continue;
    number += 1;
    yield {
      name: `${folder}/files/${partName(number, path)}`,
      about: { path },
      size: bytes,
      sha256: kept.sha256,
      address: `${at}/files/content?attempt=${attempt}&path=${encodeURIComponent(path)}`,
      read: () => readKeptFile(place, { bytes, kept }),
    };
  }
}

function text(name: string, content: string): RecordPart {
  return { name, read: () => textOf(content) };
}

function json(name: string, content: unknown): RecordPart {
  return text(name, `${JSON.stringify(content, null, 2)}\n`);
}
