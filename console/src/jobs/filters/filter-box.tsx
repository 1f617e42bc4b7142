import type { InputProps } from '@cloudscape-design/components/input';
import Input from '@cloudscape-design/components/input';
import { type Ref, useEffect, useRef, useState } from 'react';

interface FilterBoxProps {
  /** Says what the list is narrowed by. */
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  readonly value: string;
  readonly onFilter: (text: string) => void;
  readonly inputRef?: Ref<InputProps.Ref>;
}

/** How long (ms) typing must pause before the list follows. */
const PAUSE = 300;

/** Narrows the list to jobs with a text. */
export function FilterBox({ label, placeholder, maxLength, value, onFilter, inputRef }: FilterBoxProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // What comes back of what was typed does not undo what has been typed since.
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      onFilter(sent.current);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [typed, value, onFilter]);
  return (
    <Input
      ref={inputRef ?? null}
      type="search"
      ariaLabel={label}
      clearAriaLabel={`Clear: ${label}`}
      placeholder={placeholder}
      value={typed}
      onChange={({ detail }) => setTyped(detail.value.slice(0, maxLength))}
    />
  );
}
