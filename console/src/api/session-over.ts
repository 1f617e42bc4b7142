/** Whether the session ended while a page was open. The page stays and asks the user to sign in again. */
let over = false;
const listeners = new Set<() => void>();

export function isSessionOver(): boolean {
  return over;
}

export function setSessionOver(value: boolean): void {
  over = value;
  for (const listener of listeners) listener();
}

export function onSessionOver(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
