import { type ReactNode, useEffect, useState } from 'react';

interface CodeBlockProps {
  readonly text: string;
  readonly language: string | undefined;
}

/** Maximum length of highlighted code (characters): longer code would block the page. */
const MAX_HIGHLIGHTED = 20_000;

/** A block of code. It is plain until the highlighter is loaded, and in unsupported languages. */
export function CodeBlock({ text, language }: CodeBlockProps) {
  const [highlighted, setHighlighted] = useState<ReactNode>();
  useEffect(() => {
    setHighlighted(undefined);
    if (language === undefined || text.length > MAX_HIGHLIGHTED) return;
    let isShown = true;
    import('./highlight.ts').then(
      ({ highlight }) => isShown && setHighlighted(highlight(text, language)),
      // The code is readable without colours.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [text, language]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className="code-block" tabIndex={0}>
      <code>{highlighted ?? text}</code>
    </pre>
  );
}
