import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import { duration } from '../../format/duration.ts';
import type { Job } from '../queries/job-query.ts';
import { CopyButton } from '../text/copy-button.tsx';
import { Markdown } from '../text/markdown.tsx';

/** The answer of a successful job: the final message of the agent, and its cost. */
export function Answer({ job, text }: { job: Job; text: string }) {
  return (
    <section aria-label="Answer">
      <Container
        header={
          <Header
            variant="h2"
            description={[...cost(job)].join(' · ')}
            actions={<CopyButton text={text} what="answer" />}
          >
            Answer
          </Header>
        }
      >
        {text === '' ? <Box color="text-body-secondary">The agent left no message.</Box> : <Markdown text={text} />}
      </Container>
    </section>
  );
}

function* cost({ started_at, finished_at, attempt, total_usage: usage }: Job): Iterable<string> {
  if (started_at !== null && finished_at !== null) yield duration(Date.parse(finished_at) - Date.parse(started_at));
  if (usage === null) return;
  const { input_tokens, cached_input_tokens, output_tokens, cost_usd } = usage;
  yield `${input_tokens.toLocaleString('en')} input tokens (${cached_input_tokens.toLocaleString('en')} cached)`;
  yield `${output_tokens.toLocaleString('en')} output tokens`;
  if (cost_usd !== undefined) yield `$${cost_usd.toFixed(4)}`;
  if (attempt > 1) yield `in ${attempt} attempts`;
}
