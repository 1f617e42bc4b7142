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
