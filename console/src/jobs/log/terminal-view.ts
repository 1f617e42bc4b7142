import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { OpenLogView } from './log-view.ts';

/** The events of scrolling by a user. */
const MOVES = ['wheel', 'keyup', 'pointerup'] as const;
/** Maximum time (ms) for the terminal to draw what was scrolled. */
const DRAW_TIMEOUT_MS = 50;
/** Lines of scrollback. The download has the whole log. */
const SCROLLBACK = 50_000;
/** The 16 terminal colours, each readable on the dark background (a contrast of at least 4.5:1, except for black). */
const THEME = {
  background: '#0f1b2a',
  foreground: '#e6edf3',
  selectionBackground: '#3b5f8a',
  black: '#484f58',
  red: '#ff7b72',
  green: '#3fb950',
  yellow: '#d29922',
  blue: '#58a6ff',
  magenta: '#bc8cff',
  cyan: '#39c5cf',
  white: '#b1bac4',
  brightBlack: '#8b949e',
  brightRed: '#ffa198',
  brightGreen: '#56d364',
  brightYellow: '#e3b341',
  brightBlue: '#79c0ff',
  brightMagenta: '#d2a8ff',
  brightCyan: '#56d4dd',
  brightWhite: '#ffffff',
} as const;
const RED = '\u001b[31m';
const RESET = '\u001b[39m';

/** A terminal view of a log, with colours, progress bars and scrollback. */
export const openTerminal: OpenLogView = (element, onLeftEnd) => {
  const terminal = new Terminal({
    convertEol: true,
    disableStdin: true,
    cursorInactiveStyle: 'none',
    scrollback: SCROLLBACK,
    fontSize: 13,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    screenReaderMode: true,
    theme: THEME,
  });
  const fit = new FitAddon();
  const finder = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(finder);
  terminal.open(element);
  fit.fit();
  const resized = new ResizeObserver(() => fit.fit());
  resized.observe(element);
  let following = true;
  const leave = () => {
    const { viewportY, baseY } = terminal.buffer.active;
    if (following && viewportY < baseY) onLeftEnd();
  };
  // Runs after the terminal has handled the event at its next draw. The terminal stops these events, so they are
  // captured first.
  const moved = () => setTimeout(leave, DRAW_TIMEOUT_MS);
  for (const event of MOVES) element.addEventListener(event, moved, { capture: true, passive: true });
  const toEnd = () => following && terminal.scrollToBottom();
  return {
    write: ({ stream, text }) => terminal.write(stream === 'stderr' ? `${RED}${text}${RESET}` : text, toEnd),
    clear: () => terminal.reset(),
    search: (text, direction) => {
      const found = direction === 'next' ? finder.findNext(text, { incremental: false }) : finder.findPrevious(text);
      if (found) leave();
      return found;
    },
    follow: (on) => {
      following = on;
      toEnd();
    },
    dispose: () => {
      for (const event of MOVES) element.removeEventListener(event, moved, { capture: true });
      resized.disconnect();
      terminal.dispose();
    },
  };
};
