import { followLog, type LogPiece } from '../output/follow-log.ts';
import type { LogStream } from '../output/read-logs.ts';
import { readLogs } from '../output/read-logs.ts';

type Sizes = Partial<Record<LogPiece['stream'], number>>;

/** Characters buffered before they move to blob storage, which holds more than a script's memory. */
const MAX_BUFFERED_CHARACTERS = 4_000_000;

/**
 * Saves what an attempt has written so far as a text file. A long log is followed from its first byte: following has no
 * size limit and resumes after a lost connection. Above 20 MB the API redirects a download to another origin, which
 * this page may not read.
 * @param onProgress receives the loaded share of a long log, 0 to 1
 * @throws ApiError with the service's message, or Error if the log can't be followed
 */
export async function downloadLog(
  { id, attempt }: { id: string; attempt: number },
  stream: LogStream,
  onProgress: (share: number) => void,
): Promise<void> {
  const logs = await readLogs(id, { attempt, stream });
  const { stdout = '', stderr = '' } = logs;
  const short = logs.stdout_truncated !== true && logs.stderr_truncated !== true;
  const parts = short
    ? { stdout: [stdout], stderr: [stderr] }
    : await followed(
        { id, attempt },
        stream,
        { stdout: logs.stdout_bytes ?? 0, stderr: logs.stderr_bytes ?? 0 },
        onProgress,
      );
  const both = stream === 'all' && (logs.stderr_bytes ?? 0) > 0;
  save(
    both
      ? ['==> stdout <==\n', ...parts.stdout, '\n==> stderr <==\n', ...parts.stderr]
      : [...parts.stdout, ...parts.stderr],
    `${id}-attempt-${attempt}${stream === 'all' ? '' : `-${stream}`}.log`,
  );
}

/** Everything written up to these sizes. */
async function followed(
  job: { id: string; attempt: number },
  stream: LogStream,
  sizes: Sizes,
  onProgress: (share: number) => void,
): Promise<Record<LogPiece['stream'], BlobPart[]>> {
  const parts: Record<LogPiece['stream'], BlobPart[]> = { stdout: [], stderr: [] };
  const gathered = { stdout: '', stderr: '' };
  const loaded = { stdout: 0, stderr: 0 };
  const wanted = (sizes.stdout ?? 0) + (sizes.stderr ?? 0);
  const keep = (name: LogPiece['stream']) => {
    parts[name].push(new Blob([gathered[name]]));
    gathered[name] = '';
  };
  await new Promise<void>((resolve, reject) => {
    const end = followLog(
      job,
      { stream },
      {
        onPiece: ({ stream: name, text, next_offset }) => {
          gathered[name] += text;
          if (gathered[name].length > MAX_BUFFERED_CHARACTERS) keep(name);
          loaded[name] = next_offset;
          onProgress((loaded.stdout + loaded.stderr) / wanted);
          if (loaded.stdout < (sizes.stdout ?? 0) || loaded.stderr < (sizes.stderr ?? 0)) return;
          end();
          resolve();
        },
        onEnd: () => resolve(),
        onTrouble: (message, isFinal) => isFinal && reject(new Error(message)),
      },
    );
  });
  keep('stdout');
  keep('stderr');
  return parts;
}

function save(parts: BlobPart[], name: string): void {
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
