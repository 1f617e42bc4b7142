import { applyDensity, applyMode, Density, Mode } from '@cloudscape-design/global-styles';
import { useSyncExternalStore } from 'react';

/** How the console looks; `system` follows the browser's setting. */
export type Appearance = 'system' | 'light' | 'dark';
const KEY = 'promptq.appearance';
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

/** The appearance that the user chose on this browser. */
export function keptAppearance(): Appearance {
  const kept = window.localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function keepAppearance(appearance: Appearance): void {
  window.localStorage.setItem(KEY, appearance);
  applyAppearance(appearance);
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** The appearance that the user chose; follows when it is changed. */
export function useAppearance(): Appearance {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, keptAppearance);
}

/** Puts an appearance into effect, now and when the system changes its own. */
export function applyAppearance(appearance: Appearance): void {
  const apply = () => {
    const dark = appearance === 'dark' || (appearance === 'system' && systemIsDark.matches);
    applyMode(dark ? Mode.Dark : Mode.Light);
    applyDensity(Density.Compact);
  };
  systemIsDark.onchange = apply;
  apply();
}
