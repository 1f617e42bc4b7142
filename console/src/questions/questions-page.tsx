import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useMayAdminister } from '../api/session.ts';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { LoadMore } from '../tables/load-more.tsx';
import { AnswerQuestion } from './answer-question.tsx';
import { type Waiting, waitingQuery } from './question-queries.ts';

/** The questions of agents that wait for an answer, the oldest first. */
export function QuestionsPage() {
  usePageTitle('Questions');
  const waiting = useInfiniteQuery(waitingQuery);
  const mayAdminister = useMayAdminister();
  if (waiting.error && !waiting.data)
    return <PageError error={waiting.error} what="The questions" retry={() => void waiting.refetch()} />;
  if (!waiting.data) return <PageLoading what="the questions" />;
  const items = waiting.data.pages.flatMap((page) => page.items);
  const total = waiting.data.pages.at(-1)?.total ?? 0;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        counter={`(${Math.max(total, items.length)})`}
        description={
          <>
            Agents that asked a person. A job whose question stays open waits without a worker and continues with the
            answer. {mayAdminister && <Link to="/subscriptions">Be notified of questions</Link>}
          </>
        }
      >
        Questions
      </Header>
      {items.length === 0 && <EmptyList title="No open questions" />}
      {items.map((entry) => (
        <QuestionCard key={entry.question.id} {...entry} />
      ))}
      <LoadMore list={waiting} />
    </SpaceBetween>
  );
}

function QuestionCard({ job, question }: Waiting) {
  return (
    <Container
      header={
        <Header variant="h2" description={`${job.project} · ${job.profile}`}>
          <Link className="job-link" to={`/jobs/${job.id}`}>
            {job.title ?? job.prompt_preview}
          </Link>
        </Header>
      }
    >
      <AnswerQuestion question={question} />
    </Container>
  );
}
