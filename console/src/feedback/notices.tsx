import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import { useSyncExternalStore } from 'react';

type Notice = Pick<FlashbarProps.MessageDefinition, 'type' | 'header' | 'content' | 'action'>;
let shown: readonly FlashbarProps.MessageDefinition[] = [];
let made = 0;
const listeners = new Set<() => void>();

function show(next: typeof shown): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Shows a notice until the user dismisses it. */
export function notify(notice: Notice): void {
  made += 1;
  const id = String(made);
  const dismiss = () => show(shown.filter((other) => other.id !== id));
  show([{ ...notice, id, dismissible: true, dismissLabel: 'Dismiss', onDismiss: dismiss }, ...shown].slice(0, 5));
}

/** The notices from `notify`. */
export function Notices() {
  const items = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return <Flashbar items={items} stackItems />;
}
