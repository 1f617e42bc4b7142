import { type ReactNode, Suspense } from 'react';
import { BrokenPage } from './broken-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

interface PartProps {
  readonly children: ReactNode;
  /** Shown while the code of the part loads. */
  readonly loading?: ReactNode;
  /** Whether this is the whole page, which reloads when the service responds again after a failed load. */
  readonly isPage?: boolean;
  /** When it changes, a part that failed is rendered again. */
  readonly resetKey?: string;
}

/** A part of the console that loads and fails independently of the rest. */
export function Part({ children, loading = null, isPage = false, resetKey = '' }: PartProps) {
  return (
    <ErrorBoundary
      resetKey={resetKey}
      fallback={(error, reset) => <BrokenPage error={error} isPage={isPage} reset={reset} />}
    >
      <Suspense fallback={loading}>{children}</Suspense>
    </ErrorBoundary>
  );
}
