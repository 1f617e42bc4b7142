import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import { CopyButton } from './copy-button.tsx';

interface TextBlockProps {
  readonly title: string;
  readonly text: string;
  /** What is said where there is no text. */
  readonly none: string;
}

/** A text as it is, to read and to copy. */
export function TextBlock({ title, text, none }: TextBlockProps) {
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
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className="job-text" tabIndex={0}>
          {text}
        </pre>
      )}
    </Container>
  );
}
