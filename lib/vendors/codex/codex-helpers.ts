import * as z from 'zod';
import { addUsage, type Usage } from '../../contract/usage.ts';
import { usageSince } from '../output/usage-since.ts';
import { appServerTokensSchema } from './codex-tokens.ts';

/** More threads than codex starts: what it writes may be forged. */
const MOST = 200;

/** The agents that codex has started beside its main thread: which of them work, and what they have used. */
export class CodexHelpers {
  readonly #working = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #usage = new Map<string, { readonly before: Usage | undefined; readonly total: Usage }>();

  get working(): number {
    return this.#working.size;
  }

  usage(): Usage | undefined {
    const each = [...this.#usage.values()].map(({ before, total }) => usageSince(total, before));
    return each.reduce((sum: Usage | undefined, one) => addUsage(one, sum), undefined);
  }

  /** Reads a line of `codex app-server` or `codex exec`. @param main the main thread; undefined: not known */
  read(line: unknown, main?: string): void {
    const event = eventSchema.safeParse(line).data;
    if (event === undefined) return;
    if ('states' in event) {
      for (const { id, works } of event.states) if (id !== main) this.#note(id, works && !this.#ended.has(id));
    } else if (event.thread === main) return;
    else if ('usage' in event) this.#count(event.thread, event.usage);
    else this.#note(event.thread, event.works);
  }

  #note(thread: string, works: boolean): void {
    if (!works) {
      this.#working.delete(thread);
      if (this.#ended.size < MOST) this.#ended.add(thread);
    } else if (this.#working.size < MOST) {
      this.#working.add(thread);
    }
  }

  #count(thread: string, { total, last }: { readonly total: Usage; readonly last?: Usage | undefined }): void {
    const known = this.#usage.get(thread);
    if (known === undefined && this.#usage.size >= MOST) return;
    // A thread that was there before the attempt counts on.
    const before = known === undefined ? last && usageSince(total, last) : known.before;
    this.#usage.set(thread, { before, total });
  }
}

const threadId = z.string();
const statesSchema = z
  .record(z.string(), z.object({ status: z.string() }))
  .transform((states) => Object.entries(states).map(([id, { status }]) => ({ id, works: WORKS.has(status) })));
/** As the app server and `codex exec` write it. */
const WORKS: ReadonlySet<string> = new Set(['pendingInit', 'pending_init', 'running']);

const eventSchema = z.union([
  z
    .object({
      method: z.enum(['item/started', 'item/completed']),
      params: z.object({ item: z.object({ type: z.literal('collabAgentToolCall'), agentsStates: statesSchema }) }),
    })
    .transform(({ params }) => ({ states: params.item.agentsStates })),
  z
    .object({
      method: z.literal('item/completed'),
      params: z.object({
        item: z.object({ type: z.literal('subAgentActivity'), kind: z.string(), agentThreadId: threadId }),
      }),
    })
    .transform(({ params: { item } }) => ({ states: [{ id: item.agentThreadId, works: item.kind === 'started' }] })),
  z
    .object({
      type: z.templateLiteral(['item.', z.string()]),
      item: z.object({ type: z.literal('collab_tool_call'), agents_states: statesSchema }),
    })
    .transform(({ item }) => ({ states: item.agents_states })),
  z
    .object({
      method: z.enum(['turn/started', 'item/started', 'item/completed', 'turn/completed', 'thread/closed']),
      params: z.object({ threadId }),
    })
    .transform(({ method, params }) => ({
      thread: params.threadId,
      works: method !== 'turn/completed' && method !== 'thread/closed',
    })),
  z
    .object({
      method: z.literal('thread/tokenUsage/updated'),
      params: z.object({
        threadId,
        tokenUsage: z.object({ total: appServerTokensSchema, last: appServerTokensSchema.optional().catch(undefined) }),
      }),
    })
    .transform(({ params }) => ({ thread: params.threadId, usage: params.tokenUsage })),
]);
