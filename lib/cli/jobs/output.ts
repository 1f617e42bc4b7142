import { stripVTControlCharacters } from 'node:util';
import { damageOf } from '../../client/damage-of.ts';
import { dataOf } from '../../client/data-of.ts';
import type { FollowOptions, Promptq, Schemas } from '../../client/promptq.ts';
import type { Context } from '../base/context.ts';
import type { Terminal } from '../base/terminal.ts';

/** Characters of an agent's stderr that are shown when its attempt has failed without a reported error. */
const STDERR_LENGTH = 2_000;

/** Whether output is printed as events for people, or as the job wrote it. */
type OutputStyle = 'timeline' | 'raw';

/** How the output of a job is printed, unless its reader wants it raw. */
export async function outputStyle(client: Promptq, id: string, isRaw: boolean | undefined): Promise<OutputStyle> {
  if (isRaw) return 'raw';
  return styleOf(await dataOf(client.api.GET('/api/v1/jobs/{id}/result', { params: { path: { id } } })));
}

/** The output of a script may look like an agent's events, and isn't. */
export function styleOf({ agent }: Pick<Schemas['JobResult'], 'agent'>): OutputStyle {
  return agent === null || agent === 'shell' ? 'raw' : 'timeline';
}

/** Prints output as it arrives. */
export async function copyOutput(
  { terminal }: Context,
  client: Promptq,
  { id, style, ...options }: FollowOptions & { readonly id: string; readonly style: OutputStyle },
): Promise<void> {
  const printer = await printerOf(terminal, style);
  for await (const event of client.follow(id, options)) {
    if (event.type === 'output') await printer.output(event);
    else {
      await printer.end(event.status);
      for (const line of damageOf(event)) await terminal.note(line);
    }
  }
}

interface Printer {
  output(piece: {
    readonly stream: 'stdout' | 'stderr';
    readonly text: string;
    readonly offset: number;
  }): Promise<void>;
  /** The output of an attempt is complete, as far as it is known. */
  end(status: Schemas['JobLifecycle']['status']): Promise<void>;
}

/** What reads the events of agents is loaded only where it is needed. */
export async function printerOf(terminal: Terminal, style: OutputStyle): Promise<Printer> {
  if (style === 'raw')
    return {
      output: async ({ stream, text }) => await terminal.copy(stream, text),
      end: async () => undefined,
    };
  const { createTimeline } = await import('../../vendors/timeline/timeline-text.ts');
  const create = () => createTimeline((color, text) => terminal.paint(color, text));
  let timeline = create();
  let stderr = '';
  return {
    async output(piece) {
      if (piece.stream === 'stdout') await terminal.write(timeline.push(piece));
      else stderr = `${stderr}${piece.text}`.slice(-STDERR_LENGTH);
    },
    async end(status) {
      await terminal.write(timeline.end());
      const rest = stripVTControlCharacters(stderr).trim();
      if (status === 'FAILED' && !timeline.hasErrors && rest !== '') await terminal.note(rest);
      timeline = create();
      stderr = '';
    },
  };
}
