import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import { useQuery } from '@tanstack/react-query';
import type { Job } from '../jobs/queries/job-query.ts';
import { PageError } from '../page/page-error.tsx';
import { AnswerQuestion } from './answer-question.tsx';
import { questionQuery } from './question-queries.ts';

/** The open question of a job's agent. */
export function JobQuestion({ job }: { readonly job: Job }) {
  return job.question?.state === 'open' ? <OpenQuestion jobId={job.id} questionId={job.question.id} /> : null;
}

function OpenQuestion({ jobId, questionId }: { readonly jobId: string; readonly questionId: string }) {
  const { data: question, error, refetch } = useQuery(questionQuery(jobId, questionId));
  if (error && !question) return <PageError error={error} what="The question" retry={() => void refetch()} />;
  if (question == null) return null;
  return (
    <Container header={<Header variant="h2">The agent asks</Header>}>
      <AnswerQuestion key={question.id} question={question} />
    </Container>
  );
}
