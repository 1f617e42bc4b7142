import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import { structuredPatch } from 'diff';
import { useMemo } from 'react';
import { useNarrowScreen } from '../../browser/narrow-screen.ts';
import { DiffRows } from '../changes/diff-rows.tsx';
import { changedPart } from '../changes/parse-changes.ts';
import { TextBlock } from '../text/text-block.tsx';
import type { Side } from './side.ts';

/** Time limit (ms) for comparing two prompts. */
const DIFF_TIMEOUT_MS = 1_000;

/** The prompts that two attempts received, rules included, as a line-by-line diff. */
export function ComparedPrompts({ a, b }: { a: Side; b: Side }) {
  const [before, after] = [a.result?.composed_prompt, b.result?.composed_prompt];
  const isNarrow = useNarrowScreen();
  // A missing newline at the end of a prompt is not worth showing.
  const parts = useMemo(
    () =>
      structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', {
        context: 3,
        timeout: DIFF_TIMEOUT_MS,
      })?.hunks.map(changedPart),
    [before, after],
  );
  const missing = [a, b].filter(({ result }) => result?.composed_prompt == null).map(({ name }) => name);
  if (missing.length > 0) return <Note>The prompt of {missing.join(' and of ')} is not available.</Note>;
  if (before === after) return <Note>Both received the same prompt.</Note>;
  if (parts === undefined) {
    return (
      <div className="compare-columns">
        <TextBlock title={`Prompt of ${a.name}`} text={before ?? ''} none="" />
        <TextBlock title={`Prompt of ${b.name}`} text={after ?? ''} none="" />
      </div>
    );
  }
  return (
    <PromptContainer>
      <DiffRows
        path={`the prompt, from ${a.name} to ${b.name}`}
        parts={parts}
        layout={isNarrow ? 'inline' : 'side-by-side'}
      />
    </PromptContainer>
  );
}

function PromptContainer({ children }: { children: React.ReactNode }) {
  return (
    <Container
      header={
        <Header variant="h2" description="As sent to the agent, rules included.">
          Prompt
        </Header>
      }
    >
      {children}
    </Container>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return (
    <PromptContainer>
      <Box color="text-body-secondary">{children}</Box>
    </PromptContainer>
  );
}
