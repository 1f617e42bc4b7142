import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters, styleText } from 'node:util';
import { harmless } from '../../contract/input/harmless.ts';
import { quoted } from '../../contract/input/legible.ts';
import type { Style } from '../../vendors/timeline/timeline-text.ts';

type Stream = Writable & Partial<Pick<WriteStream, 'isTTY' | 'hasColors' | 'columns'>>;

const ESCAPE = '\u001B';
/** The beginning of a sequence or of a line end that the next piece may complete. */
const OPEN = new RegExp(`(?:\r|${ESCAPE}(?:\\[[ -?]{0,40})?)$`);

/** Output of a job on a terminal: harmless, without colours, and of a line that writes over itself its last state. */
class ShownOutput {
  #held = '';
  /** Whether the last line is on the terminal and has no end yet. */
  #isOpen = false;

  push(text: string): string {
    const all = this.#held + text;
    this.#held = OPEN.exec(all)?.[0] ?? '';
    const whole = stripVTControlCharacters(all.slice(0, all.length - this.#held.length)).replaceAll('\r\n', '\n');
    const lines = whole.split('\n');
    const shown = lines.map((line, at) => {
      const states = line.split('\r');
      const last = states.findLast((state) => state !== '') ?? '';
      const isOver = at === 0 && this.#isOpen && last !== '' && states.length > 1;
      return `${isOver ? '\r\u001B[K' : ''}${harmless(last)}`;
    });
    this.#isOpen = shown.at(-1) !== '' || (lines.length === 1 && this.#isOpen);
    return shown.join('\n');
  }
}

/** Results go to stdout; progress and errors go to stderr. */
export class Terminal {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #shown = { stdout: new ShownOutput(), stderr: new ShownOutput() };

  constructor(out: Stream, err: Stream) {
    this.#out = out;
    this.#err = err;
  }

  /** Whether a person reads the progress. */
  get isInteractive(): boolean {
    return this.#err.isTTY === true;
  }

  /** The width of the terminal that shows results; undefined: they go elsewhere. */
  get columns(): number | undefined {
    return this.#out.isTTY ? this.#out.columns || undefined : undefined;
  }

  /** Writes text for people as a line of the result. */
  async print(text: string): Promise<void> {
    await write(this.#out, `${text}\n`);
  }

  /** Writes text for people as a part of the result. */
  async write(text: string): Promise<void> {
    if (text !== '') await write(this.#out, text);
  }

  /** Writes one line of JSON that is safe to show. */
  async printJson(value: unknown): Promise<void> {
    await write(this.#out, `${quoted(value)}\n`);
  }

  /** Writes output of a job: to a terminal without what would control it, otherwise as it is. */
  async copy(stream: 'stdout' | 'stderr', text: string): Promise<void> {
    const to = stream === 'stdout' ? this.#out : this.#err;
    await write(to, to.isTTY ? this.#shown[stream].push(text) : text);
  }

  /** Writes a whole answer: to a terminal as harmless text, otherwise as it is. @param end follows it */
  async copyBytes(bytes: Buffer, end: string): Promise<void> {
    await write(this.#out, this.#out.isTTY ? harmless(bytes.toString()) : bytes);
    await write(this.#out, end);
  }

  /** Writes a line of progress. */
  async note(text: string): Promise<void> {
    await write(this.#err, `${this.#painted(this.#err, 'dim', harmless(text))}\n`);
  }

  /** Writes the reason why the command ends. */
  async fail(message: string): Promise<void> {
    await write(this.#err, `${this.#painted(this.#err, 'red', 'promptq:')} ${harmless(message)}\n`);
  }

  /** A part of a result in a colour, if stdout shows colours. */
  paint(style: Style, text: string): string {
    return this.#painted(this.#out, style, text);
  }

  #painted(stream: Stream, style: Style, text: string): string {
    const hasColors = stream.isTTY === true && stream.hasColors?.() === true;
    return hasColors ? styleText(style, text, { validateStream: false }) : text;
  }
}

async function write(stream: Stream, text: string | Buffer): Promise<void> {
  // A terminal that was closed never drains. The listener of the stream's errors ends the command.
  if (!stream.write(text) && !stream.destroyed) await once(stream, 'drain').catch(() => undefined);
}
