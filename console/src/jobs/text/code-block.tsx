import { type ReactNode, useEffect, useState } from 'react';

interface CodeBlockProps {
  readonly text: string;
  readonly language: string | undefined;
}

/** Longest code that is highlighted, characters: longer code would hold up the page. */
const MAX_HIGHLIGHTED = 20_000;

/** A block of code. It is plain until the highlighter is loaded, and stays plain in a language that it doesn't know. */
export function CodeBlock({ text, language }: CodeBlockProps) {
  const [highlighted, setHighlighted] = useState<ReactNode>();
  useEffect(() => {
    setHighlighted(undefined);
    if (language === undefined || text.length > MAX_HIGHLIGHTED) return;
    let isShown = true;
    import('./highlight.ts').then(
      ({ highlight }) => isShown && setHighlighted(highlight(text, language)),
      // Without its colours the code is still there to read.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [text, language]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: content that scrolls must be reachable by keyboard
    <pre className="code-block" tabIndex={0}>
      <code>{highlighted ?? text}</code>
    </pre>
  );
}
