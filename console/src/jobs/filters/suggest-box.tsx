import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import { useEffect, useRef, useState } from 'react';
import { matchSuggestion, type Suggestion } from '../../form/match-suggestion.ts';

interface SuggestBoxProps {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  /** Whether the suggestions are all that can match; else they are those of the page. */
  readonly isWhole?: boolean;
  /** Whether the suggestions are still being read: what is typed is sent when they are there. */
  readonly isLoading?: boolean;
  readonly maxLength: number;
  readonly onFilter: (text: string) => void;
}

/** Narrows the list to jobs with exactly one value, once it is chosen or typed to its end. */
export function SuggestBox(props: SuggestBoxProps) {
  const { label, value, suggestions, isWhole = false, isLoading = false, maxLength, onFilter } = props;
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    sent.current = value;
    setTyped(value);
  }, [value]);
  const unsent = useRef<string>(undefined);
  const send = (text: string) => {
    unsent.current = isLoading ? text : undefined;
    if (isLoading) return;
    const next = matchSuggestion(text, suggestions, isWhole);
    setTyped(next);
    if (next === sent.current) return;
    sent.current = next;
    onFilter(next);
  };
  useEffect(() => {
    if (unsent.current !== undefined) send(unsent.current);
  });
  return (
    <FormField label={label}>
      <Autosuggest
        value={typed}
        options={suggestions}
        enteredTextLabel={(text) => `Use "${text}"`}
        clearAriaLabel={`Clear: ${label}`}
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
