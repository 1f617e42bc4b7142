import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import * as z from 'zod';
import { useMayAct } from '../api/session.ts';
import { useStoredFields } from '../form/stored-fields.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { exactTime } from '../format/time-preference.ts';
import { type Question, useAnswer } from './question-queries.ts';
import '../jobs/text/job-text.css';

/** The choice of an answer that is not among the options. A text that no option can be: options are not empty. */
const OTHER = '';

/** A choice of null: none yet. */
const FIELDS = z.object({ choice: z.string().nullable(), text: z.string() });

/** A question of an agent, and what it takes to answer it: an option or a text, and a button. */
export function AnswerQuestion({ question }: { readonly question: Question }) {
  const { options } = question;
  const mayAct = useMayAct();
  const [opened] = useState({ fields: { choice: options.length === 0 ? OTHER : null, text: '' }, openedAt: null });
  const unsent = useStoredFields(`answer.${question.job_id}.${question.id}`, FIELDS, opened);
  const { choice, text } = unsent.fields;
  const answer = useAnswer(question, unsent.forget);
  const given = choice === OTHER ? text.trim() : choice;
  return (
    <SpaceBetween size="s">
      <pre className="job-text">{question.question}</pre>
      <Box color="text-body-secondary" fontSize="body-s">
        Asked <TimeAgo at={question.asked_at} />. {consequence(question)}
      </Box>
      {mayAct && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (given) answer.mutate(given);
          }}
        >
          <SpaceBetween size="s">
            {options.length > 0 && (
              <RadioGroup
                ariaLabel="Answer"
                value={choice}
                items={[
                  ...options.map((value) => ({ value, label: value })),
                  { value: OTHER, label: 'Another answer' },
                ]}
                onChange={({ detail }) => unsent.change({ choice: detail.value })}
              />
            )}
            {choice === OTHER && (
              <FormField label="Your answer">
                <Textarea value={text} rows={3} onChange={({ detail }) => unsent.change({ text: detail.value })} />
              </FormField>
            )}
            <Button variant="primary" loading={answer.isPending} disabled={!given}>
              Answer
            </Button>
          </SpaceBetween>
        </form>
      )}
    </SpaceBetween>
  );
}

function consequence({ deadline, default: byDefault }: Question): string {
  const until = exactTime(deadline).replace(/:\d\d$/, '');
  return byDefault === null
    ? `Without an answer by ${until}, the job fails.`
    : `Without an answer by ${until}, the job continues with: ${byDefault}`;
}
