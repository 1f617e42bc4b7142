import type { ServerResponse } from 'node:http';
import { readConversation } from './conversation.ts';
import { isRefusing, planSteps, type RefusingStep, type Step } from './drills.ts';
import { finalMessage } from './final-message.ts';
import { refusalOf, sendRefusal } from './refusal.ts';
import { openReply, type Reply } from './reply.ts';

/**
 * Answers `POST /v1/responses` as the practice model: resumes the prompt's steps where the resent history ends, until a
 * step calls a tool (codex returns with its result) or all are done. It keeps no state between requests. Throws a
 * ZodError for an invalid body.
 */
export async function answerResponses(body: unknown, response: ServerResponse): Promise<void> {
  const conversation = readConversation(body);
  const steps = planSteps(conversation.prompt);
  const last = conversation.results.at(-1);
  const running = last?.session;
  const start = last === undefined ? 0 : last.step + 1;

  const first = steps[start];
  if (running === undefined && first !== undefined && isRefusing(first)) return sendRefusal(response, refusalOf(first));

  const reply = await openReply(response, conversation);
  if (running !== undefined && last !== undefined) {
    await reply.call(last.step, 'write_stdin', { session_id: running, chars: '', yield_time_ms: YIELD_MS });
    return reply.complete();
  }
  for (const [index, step] of steps.entries()) {
    if (index < start) continue;
    if (isRefusing(step)) {
      // The 200 has been sent, so the error needs another request: a call that does nothing causes it.
      await reply.call(index - 1, 'exec_command', { cmd: 'true' });
      return reply.complete();
    }
    if (await takeStep(step, index, reply)) return reply.complete();
  }
  await reply.message(finalMessage(steps, conversation));
  return reply.complete();
}

/** codex returns after this time if the command still runs, and at once if it has ended. */
const YIELD_MS = 30_000;

/** Runs one step; `true`: it called a tool, so the response must end here. */
async function takeStep(step: Exclude<Step, RefusingStep>, index: number, reply: Reply): Promise<boolean> {
  switch (step.drill) {
    case 'show':
      await show(index, reply);
      return true;
    case 'tool':
      await reply.call(index, 'exec_command', { cmd: step.command, yield_time_ms: YIELD_MS });
      return true;
    case 'orphan':
      await reply.call(index, 'exec_command', { cmd: ORPHAN, yield_time_ms: YIELD_MS });
      return true;
    case 'sleep':
      await reply.think(step.seconds * 1_000);
      return false;
    case 'flood':
      await flood(step.bytes, reply);
      return false;
    case 'hang':
      return reply.fallSilent();
    case 'follow-up':
    case 'unknown':
      return false;
  }
}

/** Survives the shell, its session and SIGTERM: a worker's cleanup must find it. Exits after 5 min. */
const ORPHAN = `( setsid sh -c 'trap "" TERM; exec sleep 300' </dev/null >/dev/null 2>&1 & echo "orphan: process $!" )`;

const SHOW = `printf 'practice: a tool started\\n'; sleep 1; printf 'practice: the tool is done\\n'`;

/** A short run whose log grows visibly. */
async function show(index: number, reply: Reply): Promise<void> {
  await reply.reasoning('The practice vendor thinks of nothing in particular.');
  await reply.think(400);
  await reply.message('I am the practice vendor. I run one harmless command and then repeat how your prompt begins.');
  await reply.think(400);
  await reply.call(index, 'exec_command', { cmd: SHOW, yield_time_ms: YIELD_MS });
}

const FLOOD_MESSAGE_BYTES = 1_000_000;
const FLOOD_LINE = `${'The practice vendor floods as asked. '.repeat(3).trimEnd()}\n`;
const FLOOD_MESSAGE = FLOOD_LINE.repeat(Math.ceil(FLOOD_MESSAGE_BYTES / FLOOD_LINE.length)).slice(
  0,
  FLOOD_MESSAGE_BYTES,
);

async function flood(bytes: number, reply: Reply): Promise<void> {
  for (let left = bytes; left > 0; left -= FLOOD_MESSAGE_BYTES) await reply.message(FLOOD_MESSAGE.slice(0, left));
}
