/**
 * Patterns of browsers, the most specific first: Edge's header also names Chrome, and Chrome's also names Safari. A
 * table this short needs no library, and no text of the client's passes through it.
 */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`, from a `User-Agent` header; undefined if it names neither. The header is not verified. */
export function browserWords(userAgent: string | undefined): string | undefined {
  const named = (table: typeof BROWSERS) => table.find(([mark]) => mark.test(userAgent ?? ''))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (system === undefined) return browser;
  return `${browser ?? 'Unknown browser'} on ${system}`;
}
