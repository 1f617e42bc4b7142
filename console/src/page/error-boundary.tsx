import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Shown instead of children that failed; `reset` renders them again. */
  readonly fallback: (error: Error, reset: () => void) => ReactNode;
  /** When it changes, children that failed are rendered again. */
  readonly resetKey?: string;
}

/** Contains errors of its children. React supports this only in class components. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (this.state.error !== undefined && before.resetKey !== this.props.resetKey) this.#reset();
  }

  readonly #reset = () => this.setState({ error: undefined });

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : this.props.fallback(error, this.#reset);
  }
}
