import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DOCUMENTS, shellBlocks } from './documents.ts';

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

describe('the shell function `logs` finds a log group on any page of the list', () => {
  // With `--output text`, the command line applies the query to each page.
  const aws = `*'].logGroupName | [0] --output text') printf '%s\\n' None promptq-api-JobsLogs1 None;;
    'logs describe-log-groups '*"'JobsLogs')].[logGroupName] --output text") printf 'promptq-api-JobsLogs%s\\n' 1 2;;
    'logs tail '*) printf '<%s>' "$@";;`;

  test.each([
    ['docs/deploy/first-hour-on-aws.md', 'The first hour on AWS'],
    ['docs/operate/runbook.md', 'Logs and metrics'],
  ])('of %s', async (path, heading) => {
    const [block = ''] = shellBlocks(path, heading);
    const [definition = ''] = /^logs\(\) \{.*(?:\n .*)*/m.exec(block) ?? [];
    expect(await paste(`${definition}\nlogs JobsLogs 3h`, aws)).toEqual([
      '<logs><tail><--since><3h><--format><short><promptq-api-JobsLogs1>',
    ]);
  });
});

test('no query of a text takes the first item: it would be the first of each page', () => {
  const commands = DOCUMENTS.flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  expect(commands.filter((line) => /\| \[0\].*--output text/.test(line))).toEqual([]);
});
