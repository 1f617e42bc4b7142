import { askedText } from '../../../jobs/questions/answer-text.ts';
import type { Conversation } from './conversation.ts';
import { DRILL_FORMS, isRefusing, planSteps, type RefusingStep, type Step } from './drills.ts';
import type { MetLimits } from './met-limits.ts';
import { resolved } from './references.ts';
import { type Refusal, refusalOf, usageLimit } from './refusal.ts';
import type { Reply } from './reply.ts';

/** How a vendor's format answers one request of the model. */
export interface Answerer {
  refuse(refusal: Refusal): void;
  /** @param tokens what the response reports as used; undefined: about what it uses */
  open(tokens: number | undefined): Promise<Reply>;
}

/**
 * Answers as the practice model: continues the turn's steps where the resent history ends, until a step calls a tool
 * (the CLI returns with its result) or all are done. It keeps no state between requests but the limits that were met.
 */
export async function answerModel(conversation: Conversation, limits: MetLimits, answerer: Answerer): Promise<void> {
  const steps = planSteps(conversation.prompt);
  const last = conversation.results.at(-1);
  const running = last?.session;
  if (running !== undefined && last !== undefined) {
    const reply = await answerer.open(undefined);
    await reply.poll(last.step, running);
    return reply.complete();
  }

  const start = nextStep(steps, conversation);
  const first = steps[start];
  const refusal = first !== undefined && isRefusing(first) ? refusalNow(first, conversation, limits) : undefined;
  if (refusal !== undefined) return answerer.refuse(refusal);

  const reply = await answerer.open(first?.drill === 'spend' ? first.tokens : undefined);
  for (const [index, step] of steps.entries()) {
    if (index < start || (index === start && isRefusing(step))) continue;
    if (isRefusing(step)) {
      // The 200 has been sent, so the error needs another request: a call that does nothing causes it.
      await reply.run(index - 1, 'true');
      return reply.complete();
    }
    if (await takeStep(step, { index, steps, conversation, reply })) return reply.complete();
  }
  await reply.message(finalMessage(steps, conversation));
  return reply.complete();
}

/**
 * The step to take: after the last one that has a result, or that one again if it makes more calls. Questions whose
 * calls were lost with their worker are not asked again once a prompt tells their answers.
 */
function nextStep(steps: readonly Step[], { results, prompts }: Conversation): number {
  const last = results.at(-1)?.step;
  if (last !== undefined && steps[last]?.drill === 'spend') return last;
  let next = last === undefined ? 0 : last + 1;
  while (isTold(steps, next, prompts)) next += 1;
  return next;
}

/** Whether a prompt tells more answers to what a step asks than the steps before it got. */
function isTold(steps: readonly Step[], next: number, prompts: readonly string[]): boolean {
  const question = questionOf(steps[next]);
  if (question === undefined) return false;
  const told = Math.max(0, ...prompts.map((prompt) => prompt.split(askedText(question)).length - 1));
  return told > steps.slice(0, next).filter((step) => questionOf(step) === question).length;
}

/** What a step asks a person, if it does. */
function questionOf(step: Step | undefined): string | undefined {
  if (step?.drill !== 'use' || step.tool !== 'ask_human') return undefined;
  return typeof step.input.question === 'string' ? step.input.question : undefined;
}

/** The error of a step; undefined: its limit is over. */
function refusalNow(step: RefusingStep, { prompt }: Conversation, limits: MetLimits): Refusal | undefined {
  if (step.drill !== 'limit') return refusalOf(step);
  const until = limits.meet(prompt, step.seconds);
  return until === undefined ? undefined : usageLimit(until);
}

interface StepContext {
  readonly index: number;
  readonly steps: readonly Step[];
  readonly conversation: Conversation;
  readonly reply: Reply;
}

/** Runs one step; `true`: it called a tool, so the response must end here. */
async function takeStep(
  step: Exclude<Step, RefusingStep>,
  { index, steps, conversation: { results }, reply }: StepContext,
): Promise<boolean> {
  switch (step.drill) {
    case 'show':
      await show(index, reply);
      return true;
    case 'tool':
      await reply.run(index, step.command);
      return true;
    case 'use':
      await reply.use(index, step.tool, resolved(step.input, steps, results) as typeof step.input);
      return true;
    case 'call':
      await reply.run(index, `echo 'call ${step.number} of ${step.of}'`);
      return true;
    case 'wait':
      await reply.run(index, `sleep ${step.seconds}`);
      return true;
    case 'spend':
      if (results.filter((result) => result.step === index).length + 1 === step.calls) return false;
      await reply.run(index, 'sleep 0.2');
      return true;
    case 'orphan':
      await reply.run(index, ORPHAN);
      return true;
    case 'sleep':
      await reply.think(step.seconds * 1_000);
      return false;
    case 'flood':
      await flood(step.bytes, reply);
      return false;
    case 'hang':
      return reply.fallSilent();
    case 'recall':
    case 'json':
    case 'follow-up':
    case 'unknown':
      return false;
  }
}

/**
 * Survives the shell, its session and SIGTERM: a worker's cleanup must find it. Exits after 5 min.
 * The shell waits until it is in a session apart, as a CLI ends what it finds in its tool's process group.
 */
const ORPHAN = `echo "orphan: process $(setsid sh -c 'trap "" TERM; echo $$; exec sleep 300 >/dev/null' </dev/null 2>/dev/null &)"`;

const SHOW = `printf 'practice: a tool started\\n'; sleep 1; printf 'practice: the tool is done\\n'`;

/** A short run whose log grows visibly. */
async function show(index: number, reply: Reply): Promise<void> {
  await reply.reasoning('The practice vendor thinks of nothing in particular.');
  await reply.think(400);
  await reply.message('I am the practice vendor. I run one harmless command and then repeat how your prompt begins.');
  await reply.think(400);
  await reply.run(index, SHOW);
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

/** The practice model's final message: the text of `drill: json`, or a paragraph for each step. */
function finalMessage(steps: readonly Step[], conversation: Conversation): string {
  const given = steps.findLast((step) => step.drill === 'json');
  if (given !== undefined) return given.text;
  const said = steps.map((step, index) => paragraph(step, printed(index, conversation), conversation));
  return said.filter((text) => text !== '').join('\n\n');
}

const OUTPUT_TAIL = 2_000;
const PROMPT_HEAD = 200;

function paragraph(step: Step, output: string, { prompt, prompts }: Conversation): string {
  switch (step.drill) {
    case 'show':
      return `This is the practice vendor: no model has read your prompt. It begins:\n\n${head(prompt, PROMPT_HEAD)}`;
    case 'tool':
    case 'orphan':
      return `The practice vendor ran a command, which printed:\n\n${tail(output.trimEnd(), OUTPUT_TAIL)}`;
    case 'use':
      return `The tool ${step.tool} answered:\n\n${tail(output.trimEnd(), OUTPUT_TAIL)}`;
    case 'sleep':
      return `The practice vendor slept for ${step.seconds} s.`;
    case 'flood':
      return `The practice vendor wrote ${step.bytes} bytes.`;
    case 'follow-up':
      return `The practice vendor asks for a further job:\n\n\`\`\`follow-up-job\n${step.payload}\n\`\`\``;
    case 'unknown':
      return `The practice vendor has no drill "${head(step.line, PROMPT_HEAD)}". It has:\n\n${DRILL_FORMS.map((form) => `- ${form}`).join('\n')}`;
    case 'call':
      return step.number < step.of ? '' : `The practice vendor made ${step.of} tool calls.`;
    case 'spend':
      return `The practice vendor reported ${step.tokens} tokens for each model call.`;
    case 'wait':
      return `The practice vendor waited for ${step.seconds} s. It has read:\n\n${lines(prompts)}`;
    case 'recall':
      return lines(prompts);
    case 'json':
    case 'limit':
    case 'hang':
    case 'fail':
    case 'usage-limit':
    case 'not-logged-in':
      return '';
  }
}

/** One line for each prompt. */
function lines(prompts: readonly string[]): string {
  return prompts.map((text) => text.trim().replace(/\s*\n\s*/g, ' ')).join('\n');
}

function printed(step: number, { results }: Conversation): string {
  return results.map((result) => (result.step === step ? result.output : '')).join('');
}

/** The first characters by code point: never half a surrogate pair. */
function head(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

function tail(text: string, count: number): string {
  return Array.from(text.slice(-2 * count))
    .slice(-count)
    .join('');
}
