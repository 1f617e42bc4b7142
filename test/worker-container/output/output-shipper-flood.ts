import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { OutputShipper } from '../../../worker-container/output/output-shipper.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { emulatedS3Client } from '../../stand-ins/emulated-s3.ts';

// Arguments: the S3's endpoint, its bucket, MB to ship. Prints the bytes kept and the growth of resident memory in MiB.
const [endpoint = '', bucket = '', megabytes = '1'] = process.argv.slice(2);
const spoolDir = await mkdtemp(join(tmpdir(), 'promptq-flood-'));
const objects = s3OutputObjects(emulatedS3Client(endpoint), bucket);
await objects.put('warm-up', Buffer.from('x'), new AbortController().signal);

const before = process.memoryUsage.rss();
let highest = before;
const look = setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 20);

const script = `yes 'a line of output as agents write them' | head -c ${megabytes}000000`;
const agent = spawn('bash', ['--norc', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
const shipper = await OutputShipper.start({
  jobId: `job_flood_${megabytes}`,
  attempt: 1,
  pipes: { stdout: agent.stdout, stderr: agent.stderr },
  spoolDir,
  objects,
  redaction: new Redaction(['a secret that does not occur']),
});
await Promise.all([once(agent, 'exit'), shipper.ended]);
const { stdout } = await shipper.finish({ complete: true });
clearInterval(look);
await shipper.dispose();
await rm(spoolDir, { recursive: true });
console.log(JSON.stringify({ bytes: stdout.bytes, growth: (highest - before) / 2 ** 20 }));
