const KEY = 'promptq.plain-log';

/** Whether the user wants logs as plain text on this browser. */
export function prefersPlainText(): boolean {
  return window.localStorage.getItem(KEY) === 'on';
}

export function keepPlainText(on: boolean): void {
  window.localStorage.setItem(KEY, on ? 'on' : 'off');
}
