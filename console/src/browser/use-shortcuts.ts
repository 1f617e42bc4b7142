import { useEffect, useRef } from 'react';

/** Actions by key. */
type Shortcuts = Readonly<Record<string, () => void>>;

const KEY = 'promptq.shortcuts';

/** Single keys can be triggered accidentally, for example by speech input, so users can turn them off. */
export function shortcutsAreOn(): boolean {
  return window.localStorage.getItem(KEY) !== 'off';
}

export function switchShortcuts(on: boolean): void {
  window.localStorage.setItem(KEY, on ? 'on' : 'off');
}

/** Runs actions on single keys, except in text fields and dialogs. `?` works even if shortcuts are off. */
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

/** Elements that handle keys themselves. */
const OWN_KEYS = 'input, textarea, select, [role=dialog], [role=menu], [role=listbox]';
