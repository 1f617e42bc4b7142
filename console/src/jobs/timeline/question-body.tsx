import { TimeAgo } from '../../format/time-ago.tsx';
import { answererText } from '../../questions/answerer.ts';
import type { Question } from '../../questions/question-queries.ts';

/** A question to a person, its answer, and who gave it when. */
export function QuestionBody({
  question: { question, state, answer, answered_by, answered_at },
}: {
  question: Question;
}) {
  return (
    <>
      <div className="event-label">The agent asked</div>
      <div className="event-words">{question}</div>
      {answer === null ? (
        <div className="event-secondary">{UNANSWERED[state] ?? state}</div>
      ) : (
        <>
          <div className="event-label">
            {answered_by === null ? 'The default was taken' : answererText(answered_by)}{' '}
            <span className="event-secondary">{answered_at !== null && <TimeAgo at={answered_at} />}</span>
          </div>
          <div className="event-words">{answer}</div>
        </>
      )}
    </>
  );
}

const UNANSWERED: Readonly<Record<string, string>> = {
  open: 'It waits for an answer.',
  expired: 'Nobody answered before the deadline.',
  withdrawn: 'It was withdrawn before an answer.',
};
