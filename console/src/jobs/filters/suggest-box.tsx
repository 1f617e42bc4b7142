import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import { useEffect, useRef, useState } from 'react';
import { matchSuggestion, type Suggestion } from '../../form/match-suggestion.ts';

interface SuggestBoxProps {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly Suggestion[];
  /** Whether the suggestions are complete. Otherwise they come from the current page. */
  readonly isWhole?: boolean;
  /** Whether the suggestions are loading. Typed text is applied once they are loaded. */
  readonly isLoading?: boolean;
  readonly maxLength: number;
  readonly onFilter: (text: string) => void;
}

/** Filters the list by one exact value, once it is selected or fully typed. */
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
        // By then Enter has selected the highlighted option, if any.
        onKeyUp={({ detail }) => detail.key === 'Enter' && send(typed)}
        onBlur={() => send(typed)}
      />
    </FormField>
  );
}
