import type { InputProps } from '@cloudscape-design/components/input';
import Input from '@cloudscape-design/components/input';
import { type Ref, useEffect, useRef, useState } from 'react';

interface FilterBoxProps {
  /** The label of the filter. */
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  readonly value: string;
  readonly onFilter: (text: string) => void;
  readonly inputRef?: Ref<InputProps.Ref>;
}

/** Pause in typing (ms) before the list updates. */
const PAUSE_MS = 300;

/** Filters the list by text. */
export function FilterBox({ label, placeholder, maxLength, value, onFilter, inputRef }: FilterBoxProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // An update from the address does not undo later typing.
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => {
      sent.current = typed.trim();
      onFilter(sent.current);
    }, PAUSE_MS);
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
