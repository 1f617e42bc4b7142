import type { LogPiece } from '../output/follow-log.ts';

/** Shows a log that comes in pieces. */
export interface LogView {
  write(piece: LogPiece): void;
  clear(): void;
  /** Whether the text was found. */
  search(text: string, direction: 'next' | 'previous'): boolean;
  /** Whether the end stays in sight as more comes. */
  follow(on: boolean): void;
  dispose(): void;
}

/** Opens a view in an element, whose size it follows. `onLeftEnd`: the user scrolled away from the end. */
export type OpenLogView = (element: HTMLElement, onLeftEnd: () => void) => LogView;

const PLAIN_KEY = 'promptq.plain-log';

/** Whether the user wants logs as plain text on this browser. */
export function prefersPlainText(): boolean {
  return window.localStorage.getItem(PLAIN_KEY) === 'on';
}

export function keepPlainText(on: boolean): void {
  window.localStorage.setItem(PLAIN_KEY, on ? 'on' : 'off');
}
