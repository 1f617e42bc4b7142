import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

interface LinkButtonProps {
  /** The path of a page of the console. */
  readonly to: string;
  readonly primary?: boolean;
  readonly children: ReactNode;
}

/** A link to another page that looks like a button. */
export function LinkButton({ to, primary = false, children }: LinkButtonProps) {
  const navigate = useNavigate();
  return (
    <Button
      variant={primary ? 'primary' : 'normal'}
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
