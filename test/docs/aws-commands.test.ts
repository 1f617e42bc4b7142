import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { shellBlocks } from './documents.ts';

/** Runs a script in bash as if it were pasted. @param aws what the command line `aws` prints: cases of its arguments */
async function paste(script: string, aws: string): Promise<string[]> {
  const standIn = `aws() { case "$*" in\n${aws}\n*) echo "unexpected: $*" >&2; return 2;;\nesac; }`;
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', `${standIn}\n${script}`]);
  return stdout.trim().split('\n');
}

test('docs/operate/runbook.md, "Dead letters of the deliveries queue": move them back, and see whether it ended', async () => {
  const [move = ''] = shellBlocks('docs/operate/runbook.md', 'Dead letters of the deliveries queue');
  const printed = await paste(
    move,
    `'cloudformation describe-stacks --stack-name promptq-data --query '*DeliveriesQueueUrl*) echo https://sqs/1/Queue;;
     'sqs list-queues --queue-name-prefix promptq-data-DeliveriesDeadLetters '*) echo https://sqs/1/Dead;;
     'sqs get-queue-attributes --queue-url https://sqs/1/'*) echo "arn:aws:sqs:eu-central-1:1:$(basename "$4")";;
     'sqs start-message-move-task '* | 'sqs list-message-move-tasks '*) echo "$*";;`,
  );
  const arn = (name: string) => `arn:aws:sqs:eu-central-1:1:${name}`;
  expect(printed).toEqual([
    `sqs start-message-move-task --source-arn ${arn('Dead')} --destination-arn ${arn('Queue')}`,
    expect.stringContaining(`sqs list-message-move-tasks --source-arn ${arn('Dead')} `),
  ]);
});
