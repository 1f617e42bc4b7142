import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Schemas } from '../client/promptq.ts';

/** What the client's user said to a question of a job. */
export interface UserAnswer {
  readonly questionId: string;
  /** Null: the user was asked, and did not answer. */
  readonly text: string | null;
}

/** Whether the client shows questions to its user. A 2025 client says so once, a newer one in each request. */
export function canAsk(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = mcpReq.envelope ?? {};
  const { elicitation } = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  // Clients of before forms had a name declare an empty object.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The question of a job as a form for the client's user. */
function formOf({ job_id: job, question, options, default: fallback }: Schemas['Question']) {
  const answer = {
    type: 'string' as const,
    title: 'Answer',
    minLength: 1,
    ...(options.length > 0 && { description: `Suggested: ${options.join(', ')}` }),
    ...(fallback !== null && { default: fallback }),
  };
  return {
    message: `The agent of job ${job} asks: ${question}`,
    requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
  } satisfies Omit<ElicitRequestFormParams, 'mode'>;
}

/** The result of a tool that needs an answer. The client asks its user, then calls the tool again. */
export function inputNeeded(question: Schemas['Question']): InputRequiredResult {
  return inputRequired({
    inputRequests: { [question.id]: inputRequired.elicit(formOf(question)) },
    requestState: question.job_id,
  });
}

/** The job of the first call, in the second call of a tool. The client returns what it was given, or anything else. */
export function jobIdIn({ mcpReq }: ServerContext): string | undefined {
  const state = mcpReq.requestState();
  return typeof state === 'string' ? state : undefined;
}

/** What the user has answered, in the second call of a tool. */
export function answerIn({ mcpReq: { inputResponses } }: ServerContext): UserAnswer | undefined {
  const [questionId] = Object.keys(inputResponses ?? {});
  if (questionId === undefined) return undefined;
  const view = inputResponse(inputResponses, questionId);
  const content = view.kind === 'elicit' && view.action === 'accept' ? view.content : undefined;
  return { questionId, text: typeof content?.answer === 'string' ? content.answer : null };
}
