/** To the frame: a text to draw. */
export interface DrawRequest {
  readonly text: string;
  readonly isDark: boolean;
  /** Characters; mermaid draws no longer text. */
  readonly maxLength: number;
}

/** From the frame. */
export type DrawResult =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly width: number; readonly height: number }
  /** `line` is one of the text, from 1. */
  | { readonly kind: 'fault'; readonly message: string; readonly line?: number };
