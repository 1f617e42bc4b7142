import * as z from 'zod';
import { APP_SERVER_REQUESTS } from '../../lib/vendors/codex/app-server-requests.ts';
import { CodexHelpers } from '../../lib/vendors/codex/codex-helpers.ts';
import { createJsonLines } from '../../lib/vendors/output/json-lines.ts';
import type { AgentMessage, Drive, DrivePort } from './drive.ts';

/** What a turn of codex is to do. */
export interface CodexTurn {
  readonly prompt: string;
  readonly model: string | undefined;
  /** The session to continue. */
  readonly resume: string | undefined;
  /** The key of the vendor's own API. Unlike `codex exec`, the app server takes none from its environment. */
  readonly apiKey: string | undefined;
  readonly sandbox: 'danger-full-access' | 'workspace-write' | 'read-only';
}

/**
 * Drives `codex app-server` 0.169 through one turn: JSON-RPC, one message a line. It names no working folder: codex takes
 * that of its process, and would trust the configuration in a folder that a client names.
 */
export function createCodexDrive({ prompt, model, resume, apiKey, sandbox }: CodexTurn, port: DrivePort): Drive {
  const { initialize, login, thread, turn } = APP_SERVER_REQUESTS;
  const waiting: AgentMessage[] = [];
  const given = new Map<string, AgentMessage>();
  let threadId: string | undefined;
  let turnId: string | undefined;
  let over = false;
  const helpers = new CodexHelpers();
  /** Set while only agents that codex has started work. */
  const left: { quiet?: NodeJS.Timeout; longest?: NodeJS.Timeout } = {};

  function end(): void {
    over = true;
    stopWaiting();
    port.close();
  }

  function stopWaiting(): void {
    clearTimeout(left.quiet);
    clearTimeout(left.longest);
    delete left.quiet;
    delete left.longest;
  }

  /** The turn is over: the input ends with the agents that codex has started, or once they are silent for too long. */
  function endWithHelpers(): void {
    over = true;
    if (helpers.working === 0) {
      end();
      return;
    }
    left.quiet = setTimeout(end, HELPERS.quiet).unref();
    left.longest = setTimeout(end, HELPERS.longest).unref();
  }

  function onHelpers(): void {
    left.quiet?.refresh();
    if (left.quiet !== undefined && helpers.working === 0) end();
  }

  function giveWaiting(): void {
    if (threadId === undefined || turnId === undefined || over) return;
    for (const message of waiting.splice(0)) {
      given.set(message.id, message);
      port.send({
        id: steerId(message.id),
        method: 'turn/steer',
        params: { threadId, expectedTurnId: turnId, clientUserMessageId: message.id, input: inputOf(message.text) },
      });
    }
  }

  function onAnswer({ id, result, error }: Answer): void {
    if (error !== undefined) {
      // A turn that can't be steered now, such as one that summarises its history, may be so later.
      const refused = given.get(String(id).slice(STEER.length));
      if (refused === undefined) end();
      else {
        given.delete(refused.id);
        waiting.push(refused);
      }
    } else if (id === initialize) {
      port.send({ method: 'initialized' });
      if (apiKey === undefined) openThread();
      else port.send({ id: login, method: 'account/login/start', params: { type: 'apiKey', apiKey } });
    } else if (id === login) openThread();
    else if (id === thread) {
      threadId = result?.thread?.id;
      // Anything but the session that was asked for would be a new one.
      if (threadId === undefined || (resume !== undefined && threadId !== resume)) end();
      else port.send({ id: turn, method: 'turn/start', params: { threadId, input: inputOf(prompt) } });
    } else if (id === turn) {
      turnId = result?.turn?.id;
      giveWaiting();
    }
  }

  function openThread(): void {
    const settings = { approvalPolicy: 'never', sandbox, ...(model !== undefined && { model }) };
    port.send(
      resume === undefined
        ? { id: thread, method: 'thread/start', params: settings }
        : { id: thread, method: 'thread/resume', params: { threadId: resume, excludeTurns: true, ...settings } },
    );
  }

  function onNotice({ method, params }: Notice): void {
    // Agents that codex starts have separate threads.
    if (params.threadId !== threadId) onHelpers();
    else if (method === 'turn/completed') {
      if (params.turn?.status === 'completed') endWithHelpers();
      else end();
    } else if (method === 'turn/started' && left.quiet !== undefined) {
      // codex begins another turn because of an agent that has ended.
      stopWaiting();
      over = false;
      turnId = params.turn?.id ?? turnId;
    } else if (method === 'item/completed') {
      const { type, clientId } = params.item ?? {};
      if (type === 'userMessage' && clientId != null && given.delete(clientId)) port.onSeen(clientId);
      giveWaiting();
    }
  }

  const lines = createJsonLines((line) => {
    const asked = askedSchema.safeParse(line).data;
    if (asked !== undefined) return port.send({ id: asked.id, error: NOT_SUPPORTED });
    const answer = answerSchema.safeParse(line).data;
    if (answer !== undefined) return onAnswer(answer);
    helpers.read(line, threadId);
    const notice = noticeSchema.safeParse(line).data;
    if (notice !== undefined) onNotice(notice);
  });

  return {
    begin() {
      const capabilities = { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: SUPPRESSED };
      const clientInfo = { name: 'promptq', title: null, version: '1' };
      port.send({ id: initialize, method: 'initialize', params: { clientInfo, capabilities } });
    },
    push: (chunk) => lines.push(chunk),
    say(message) {
      if (over) return false;
      waiting.push(message);
      giveWaiting();
      return true;
    },
  };
}

/** Milliseconds that agents which codex has started may work on after its turn: without a word, and at all. */
const HELPERS = { quiet: 300_000, longest: 3_600_000 } as const;

const STEER = 'steer:';

function steerId(messageId: string): string {
  return `${STEER}${messageId}`;
}

function inputOf(text: string): readonly unknown[] {
  return [{ type: 'text', text, text_elements: [] }];
}

/** No one can answer what codex asks its client, and a question without an answer would stop the turn. */
const NOT_SUPPORTED = { code: -32601, message: 'not supported: no one is there to answer' };

/** Parts of texts that come again whole, and news that no reader uses. */
const SUPPRESSED = [
  'item/agentMessage/delta',
  'item/plan/delta',
  'item/reasoning/textDelta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/summaryPartAdded',
  'item/commandExecution/outputDelta',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'command/exec/outputDelta',
  'process/outputDelta',
  'turn/diff/updated',
  'thread/started',
  'thread/status/changed',
  'thread/readState/changed',
  'remoteControl/status/changed',
] as const;

const rpcId = z.union([z.string(), z.number()]);
const askedSchema = z.object({ id: rpcId, method: z.string() });
const answerSchema = z.object({
  id: rpcId,
  error: z.object({ message: z.string() }).optional(),
  result: z
    .object({ thread: z.object({ id: z.string() }).optional(), turn: z.object({ id: z.string() }).optional() })
    .optional(),
});
type Answer = z.output<typeof answerSchema>;
const noticeSchema = z.object({
  method: z.string(),
  params: z.object({
    threadId: z.string(),
    turn: z.object({ id: z.string().optional(), status: z.string().optional() }).optional().catch(undefined),
    item: z.object({ type: z.string(), clientId: z.string().nullish() }).optional(),
  }),
});
type Notice = z.output<typeof noticeSchema>;
