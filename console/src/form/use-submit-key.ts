import { useEffect, useRef } from 'react';

/** Submits the page's form on Ctrl+Enter (Cmd+Enter on a Mac), also from a multi-line text field. */
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
