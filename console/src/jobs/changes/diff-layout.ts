const KEY = 'promptq.diff-layout';

export type DiffLayout = 'inline' | 'side-by-side';

/** The diff layout chosen in this browser. */
export function storedDiffLayout(): DiffLayout {
  return window.localStorage.getItem(KEY) === 'side-by-side' ? 'side-by-side' : 'inline';
}

export function storeDiffLayout(layout: DiffLayout): void {
  window.localStorage.setItem(KEY, layout);
}
