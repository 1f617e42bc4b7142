import type { Conversation } from './conversation.ts';
import { DRILL_FORMS, type Step } from './drills.ts';

/** The practice model's final message: the text of `drill: json`, or a paragraph for each step. */
export function finalMessage(steps: readonly Step[], conversation: Conversation): string {
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
