import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import { useEffect, useRef, useState } from 'react';
import { closestName, type Suggestion } from './closest-name.ts';

interface SuggestBoxProps {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  /** Whether the suggestions are all that can match; else they are those of the page. */
  readonly isWhole?: boolean;
  readonly maxLength: number;
  readonly onFilter: (text: string) => void;
}

/** Narrows the list to jobs with exactly one value, once it is chosen or typed to its end. */
export function SuggestBox({ label, value, suggestions, isWhole = false, maxLength, onFilter }: SuggestBoxProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    sent.current = value;
    setTyped(value);
  }, [value]);
  const send = (text: string) => {
    const next = closestName(text, suggestions, isWhole);
    setTyped(next);
    if (next === sent.current) return;
    sent.current = next;
    onFilter(next);
  };
  return (
    <FormField label={label}>
      <Autosuggest
        value={typed}
        options={suggestions}
        enteredTextLabel={(text) => `Use "${text}"`}
        clearAriaLabel={`Clear: ${label}`}
        filteringResultsText={(count) => `${count} found`}
        empty="No suggestions"
        expandToViewport
        onChange={({ detail }) => {
          setTyped(detail.value.slice(0, maxLength));
          if (detail.value === '') send('');
        }}
        onSelect={({ detail }) => send(detail.value)}
        // By then Enter has taken the option that was highlighted, if any.
        onKeyUp={({ detail }) => detail.key === 'Enter' && send(typed)}
        onBlur={() => send(typed)}
      />
    </FormField>
  );
}
