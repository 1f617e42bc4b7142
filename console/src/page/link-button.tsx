import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

interface LinkButtonProps {
  /** The path of a page of the console. */
  readonly to: string;
  readonly primary?: boolean;
  /** In a text or a row of a table. */
  readonly inline?: boolean;
  readonly ariaLabel?: string;
  readonly children: ReactNode;
}

/** A link to another page that looks like a button. */
export function LinkButton({ to, primary = false, inline = false, ariaLabel, children }: LinkButtonProps) {
  const navigate = useNavigate();
  return (
    <Button
      variant={inline ? 'inline-link' : primary ? 'primary' : 'normal'}
      {...(ariaLabel !== undefined && { ariaLabel })}
      href={to}
      onFollow={(event) => {
        event.preventDefault();
        void navigate(to);
      }}
    >
      {children}
    </Button>
  );
}
