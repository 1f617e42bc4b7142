import type { Plugin } from 'vite';

/**
 * Takes Cloudscape's embedded fonts (140 KB, most of the first load's styles) out of its global styles: the fonts of the
 * system, which its font list names next, look nearly the same.
 */
export function stripFonts(): Plugin {
  return {
    name: 'strip-embedded-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('@cloudscape-design/global-styles/index.css')) return undefined;
      return { code: code.replaceAll(/@font-face\s*\{[^}]*\}/g, ''), map: null };
    },
  };
}
