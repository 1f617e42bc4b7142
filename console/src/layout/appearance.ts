import { applyDensity, applyMode, Density, Mode } from '@cloudscape-design/global-styles';

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
