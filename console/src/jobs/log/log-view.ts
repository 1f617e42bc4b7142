import type { LogPiece } from '../output/follow-log.ts';

/** A view of a log that arrives in pieces. */
export interface LogView {
  write(piece: LogPiece): void;
  clear(): void;
  /** Whether the text was found. */
  search(text: string, direction: 'next' | 'previous'): boolean;
  /** Whether the view scrolls to the end as output arrives. */
  follow(on: boolean): void;
  dispose(): void;
}

/** Creates a view that fills an element. `onLeftEnd` is called when the user scrolls away from the end. */
export type OpenLogView = (element: HTMLElement, onLeftEnd: () => void) => LogView;

const PLAIN_KEY = 'promptq.plain-log';

/** Whether this browser shows logs as plain text. */
export function prefersPlainText(): boolean {
  return window.localStorage.getItem(PLAIN_KEY) === 'on';
}

export function storePlainText(on: boolean): void {
  window.localStorage.setItem(PLAIN_KEY, on ? 'on' : 'off');
}
