import { useEffect, useRef } from 'react';

/** Has Ctrl+Enter (Cmd+Enter on a Mac) submit the form of the page, also out of a text of several lines. */
export function useSubmitKey(submit: () => void): void {
  const current = useRef(submit);
  current.current = submit;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      event.preventDefault();
      current.current();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
