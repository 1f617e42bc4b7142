import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { CodeBlock } from './code-block.tsx';
import './markdown.css';

const MermaidBlock = lazyPart(() => import('../../diagrams/mermaid-block.tsx'), 'MermaidBlock');

/**
 * Renders an agent's text as GitHub-flavoured Markdown. The text is hostile: HTML in it is shown as text, nothing is
 * fetched, and only absolute http, https and mailto links can be followed.
 */
export function Markdown({ text }: { text: string }) {
  return <div className="markdown">{rendered(text) ?? <p className="markdown-plain">{text}</p>}</div>;
}

/** More quotes and lists in each other at the beginning of a line than a person writes. */
const DEEP = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){50}/m;

/** @returns undefined for a text that is nested too deeply to be rendered, which is known only from trying it */
function rendered(text: string): ReactNode | undefined {
  if (DEEP.test(text)) return undefined;
  try {
    // Called, not mounted: it has no state, and what it throws can be caught here.
    return ReactMarkdown({ children: text, remarkPlugins: PLUGINS, components: COMPONENTS, urlTransform: safeUrl });
  } catch {
    return undefined;
  }
}

const PLUGINS = [remarkGfm];

/** Returns the address if it may be followed; otherwise an empty string. */
function safeUrl(url: string): string {
  return /^(?:https?:\/\/|mailto:)/i.test(url) ? url : '';
}

/** Headings are not headings of the page: an agent must not change its outline. */
const heading = (level: number) =>
  function Heading({ children }: { children?: ReactNode }) {
    return <p className={`markdown-heading level-${level}`}>{children}</p>;
  };

const COMPONENTS: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  // A remote image would reveal the reader to its server, so an image is shown as a link.
  img: ({ src, alt }) => <SafeLink href={typeof src === 'string' ? src : undefined}>{alt || 'Image'}</SafeLink>,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  input: ({ checked }) => <span>{checked === true ? '☑' : '☐'} </span>,
  li: ({ children }) => <li>{children}</li>,
  section: ({ children }) => <div>{children}</div>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div className="markdown-table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ node }) => {
    const code = node?.children[0];
    if (code?.type !== 'element') return null;
    const [first] = code.children;
    const language = /^language-(.+)$/.exec(String([code.properties.className].flat()[0] ?? ''))?.[1];
    const text = first?.type === 'text' ? first.value.replace(/\n$/, '') : '';
    const block = <CodeBlock text={text} language={language} />;
    if (language !== 'mermaid') return block;
    return (
      <Part loading={block}>
        <MermaidBlock text={text}>{block}</MermaidBlock>
      </Part>
    );
  },
};

function SafeLink({ href, children }: { href: string | undefined; children?: ReactNode }) {
  if (!href) return <span>{children}</span>;
  return (
    <a className="job-link" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
