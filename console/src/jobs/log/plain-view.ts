import { createColourStripper } from '../text/strip-colours.ts';
import type { OpenLogView } from './log-view.ts';

/** Maximum characters shown. The download has everything. */
const MAX_CHARACTERS = 2_000_000;

/** A log as plain text, for screen readers, text selection and the browser's search. */
export const openPlainText: OpenLogView = (element, onLeftEnd) => {
  const text = document.createElement('pre');
  text.className = 'job-log-plain';
  text.tabIndex = 0;
  text.setAttribute('aria-label', 'Log as text');
  element.append(text);
  let strippers = { stdout: createColourStripper(), stderr: createColourStripper() };
  let length = 0;
  let following = true;
  const toEnd = () => {
    if (following) text.scrollTop = text.scrollHeight;
  };
  text.addEventListener('scroll', () => {
    if (following && text.scrollTop + text.clientHeight < text.scrollHeight - 24) onLeftEnd();
  });
  return {
    write: (piece) => {
      const part = document.createElement('span');
      part.className = `job-log-${piece.stream}`;
      part.textContent = strippers[piece.stream](piece.text);
      text.append(part);
      length += part.textContent.length;
      for (let first = text.firstChild; length > MAX_CHARACTERS && first && first !== part; first = text.firstChild) {
        length -= first.textContent?.length ?? 0;
        first.remove();
      }
      toEnd();
    },
    clear: () => {
      text.replaceChildren();
      strippers = { stdout: createColourStripper(), stderr: createColourStripper() };
      length = 0;
    },
    search: () => false,
    follow: (on) => {
      following = on;
      toEnd();
    },
    dispose: () => text.remove(),
  };
};
