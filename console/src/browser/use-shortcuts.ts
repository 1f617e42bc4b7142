import { useEffect, useRef } from 'react';

/** Keys and what they do. */
type Shortcuts = Readonly<Record<string, () => void>>;

const KEY = 'promptq.shortcuts';

/** Single keys can be hit unawares, by speech input for one, so they can be switched off. */
export function shortcutsAreOn(): boolean {
  return window.localStorage.getItem(KEY) !== 'off';
}

export function switchShortcuts(on: boolean): void {
  window.localStorage.setItem(KEY, on ? 'on' : 'off');
}

/** Has single keys do something, unless somebody types a text or answers a dialog. `?` works even when they are off. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(OWN_KEYS)) return;
      if (event.key !== '?' && !shortcutsAreOn()) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Where keys have a meaning of their own. */
const OWN_KEYS = 'input, textarea, select, [role=dialog], [role=menu], [role=listbox]';
