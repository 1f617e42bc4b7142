import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Spinner from '@cloudscape-design/components/spinner';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { CopyButton } from './copy-button.tsx';
import './job-text.css';

const Markdown = lazyPart(() => import('./markdown.tsx'), 'Markdown');

interface TextBlockProps {
  readonly title: string;
  readonly text: string;
  /** Shown if there is no text. */
  readonly none: string;
  readonly isMarkdown?: boolean;
}

/** A text to read and to copy. */
export function TextBlock({ title, text, none, isMarkdown = false }: TextBlockProps) {
  return (
    <Container
      header={
        <Header variant="h2" actions={text !== '' && <CopyButton text={text} what={title.toLowerCase()} />}>
          {title}
        </Header>
      }
    >
      {text === '' ? (
        <Box color="text-body-secondary">{none}</Box>
      ) : isMarkdown ? (
        <Part loading={<Spinner />}>
          <Markdown text={text} />
        </Part>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <pre className="job-text" tabIndex={0}>
          {text}
        </pre>
      )}
    </Container>
  );
}
