import { useEffect, useRef } from 'react';
import { shortcutsAreOn } from '../browser/use-shortcuts.ts';

const IS_MAC = /^(Mac|iP)/.test(window.navigator.platform);

/** The keys that open the palette, as labelled on this computer's keyboard. */
export const PALETTE_KEYS = IS_MAC ? '⌘K' : 'Ctrl+K';

/**
 * Opens the palette on Ctrl+K (Cmd+K on a Mac, where Ctrl+K edits text), unless a dialog is open or shortcuts are off.
 */
export function usePaletteKey(open: () => void): void {
  const current = useRef(open);
  current.current = open;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isModified = IS_MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
      if (!isModified || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
      if (!shortcutsAreOn() || document.querySelector('[role=dialog], dialog[open]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      current.current();
    };
    // Runs before a focused terminal or text field.
    document.addEventListener('keydown', listen, { capture: true });
    return () => document.removeEventListener('keydown', listen, { capture: true });
  }, []);
}
