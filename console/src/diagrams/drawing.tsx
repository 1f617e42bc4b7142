import Alert from '@cloudscape-design/components/alert';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useRef, useState } from 'react';
import { useIsDark } from '../browser/appearance.ts';
// A worker's bundle is one file without imports, which is what a frame without an origin can load.
import scriptUrl from './frame/draw.ts?worker&url';
import type { DrawRequest, DrawResult } from './frame/messages.ts';
import './drawing.css';

/** Characters. A longer text is shown as it is. */
const MAX_LENGTH = 50_000;
/** How long the script of the frame may take to load, and then to draw. Milliseconds. */
const LOAD_MS = 30_000;
const DRAW_MS = 5_000;
/** Pixels that a drawing may take: it says itself how large it is. */
const MAX_SIZE = 20_000;

interface DrawingProps {
  readonly text: string;
  /** What the drawing is, for people who don't see it. */
  readonly title: string;
  /** Whether it keeps its own size, and is scrolled, instead of being fitted into the page. */
  readonly isActualSize?: boolean;
}

/** A diagram, drawn in a frame that can reach nothing. Where that fails, why, and the text. */
export function Drawing(props: DrawingProps) {
  const isDark = useIsDark();
  if (props.text.length > MAX_LENGTH)
    return (
      <Undrawn text={props.text} header="The diagram is too long to be drawn">
        It has {props.text.length.toLocaleString('en')} characters; {MAX_LENGTH.toLocaleString('en')} can be drawn.
      </Undrawn>
    );
  // Another text or colour scheme gets another frame: the former one may be busy for good.
  return <Frame key={`${isDark} ${props.text}`} {...props} isDark={isDark} />;
}

type State = { readonly kind: 'drawing' } | Exclude<DrawResult, { kind: 'ready' }> | { readonly kind: 'late' };

function Frame({ text, title, isActualSize = false, isDark }: DrawingProps & { isDark: boolean }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<State>({ kind: 'drawing' });
  useEffect(() => {
    const giveUp = () => setState({ kind: 'late' });
    let timer = setTimeout(giveUp, LOAD_MS);
    const hear = ({ source, data }: MessageEvent<DrawResult>) => {
      const target = frame.current?.contentWindow;
      if (!target || source !== target) return;
      clearTimeout(timer);
      if (data.kind !== 'ready') return setState(data);
      timer = setTimeout(giveUp, DRAW_MS);
      target.postMessage({ text, isDark, maxLength: MAX_LENGTH } satisfies DrawRequest, '*');
    };
    window.addEventListener('message', hear);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('message', hear);
    };
  }, [text, isDark]);
  if (state.kind === 'late')
    return (
      <Undrawn text={text} header="The diagram could not be drawn in time">
        Its text is shown instead.
      </Undrawn>
    );
  if (state.kind === 'fault')
    return (
      <Undrawn
        text={text}
        line={state.line}
        header={state.line === undefined ? "The diagram can't be drawn" : `Line ${state.line} can't be drawn`}
      >
        <pre className="drawing-fault">{state.message}</pre>
      </Undrawn>
    );
  const [width, height] = state.kind === 'drawn' ? [bounded(state.width), bounded(state.height)] : [0, 0];
  const size =
    state.kind === 'drawn' ? { aspectRatio: `${width} / ${height}`, [isActualSize ? 'width' : 'maxWidth']: width } : {};
  return (
    <div className={isActualSize ? 'drawing drawing-actual' : 'drawing'} tabIndex={isActualSize ? 0 : undefined}>
      {state.kind === 'drawing' && <Spinner />}
      <iframe
        ref={frame}
        title={title}
        sandbox="allow-scripts"
        srcDoc={documentFor(isDark)}
        className={state.kind === 'drawn' ? 'drawing-frame' : 'drawing-frame drawing-waiting'}
        style={size}
      />
    </div>
  );
}

function bounded(size: number): number {
  return Math.min(MAX_SIZE, Math.max(1, Math.ceil(Number(size) || 1)));
}

/** The frame's page. It has no origin, so that its policy names the script by its whole address. */
function documentFor(isDark: boolean): string {
  const script = new URL(scriptUrl, window.location.href).href;
  const policy = `default-src 'none'; script-src ${script}; style-src 'unsafe-inline'; img-src data:`;
  return `<!doctype html>
<html lang="en" style="color-scheme:${isDark ? 'dark' : 'light'}">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<title>Diagram</title>
<style>body{margin:0}svg{display:block;width:100%;height:auto}</style>
<script src="${script}" defer></script>
<body></body>
</html>`;
}

interface UndrawnProps {
  readonly text: string;
  readonly header: string;
  readonly line?: number | undefined;
  readonly children: React.ReactNode;
}

/** Why there is no drawing, and the text with the line that is at fault. */
function Undrawn({ text, header, line, children }: UndrawnProps) {
  return (
    <>
      <Alert type="warning" header={header}>
        {children}
      </Alert>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre className="drawing-text" tabIndex={0}>
        {text.split('\n').map((content, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
          <Line key={at} number={at + 1} isFault={at + 1 === line} text={content} />
        ))}
      </pre>
    </>
  );
}

function Line({ number, isFault, text }: { number: number; isFault: boolean; text: string }) {
  return (
    <span className={isFault ? 'drawing-line drawing-line-fault' : 'drawing-line'} data-line={number}>
      {isFault ? <mark>{text}</mark> : text}
      {'\n'}
    </span>
  );
}
