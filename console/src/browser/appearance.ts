import { applyDensity, applyMode, Density, Mode } from '@cloudscape-design/global-styles';
import { useSyncExternalStore } from 'react';

/** The colour scheme of the console. `system` follows the browser's setting. */
export type Appearance = 'system' | 'light' | 'dark';
const KEY = 'promptq.appearance';
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

/** The appearance chosen in this browser. */
export function storedAppearance(): Appearance {
  const stored = window.localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function storeAppearance(appearance: Appearance): void {
  window.localStorage.setItem(KEY, appearance);
  applyAppearance(appearance);
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** The chosen appearance; updates when it changes. */
export function useAppearance(): Appearance {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, storedAppearance);
}

/** Whether the console is dark now, by choice or as the system is. */
export function useIsDark(): boolean {
  const appearance = useAppearance();
  const isSystemDark = useSyncExternalStore(
    (listener) => {
      systemIsDark.addEventListener('change', listener);
      return () => systemIsDark.removeEventListener('change', listener);
    },
    () => systemIsDark.matches,
  );
  return appearance === 'system' ? isSystemDark : appearance === 'dark';
}

/** Applies an appearance, now and whenever the system's changes. */
export function applyAppearance(appearance: Appearance): void {
  const apply = () => {
    const dark = appearance === 'dark' || (appearance === 'system' && systemIsDark.matches);
    applyMode(dark ? Mode.Dark : Mode.Light);
    applyDensity(Density.Compact);
  };
  systemIsDark.onchange = apply;
  apply();
}
