import { useEffect, useLayoutEffect } from 'react';

/** Pixels from the page's end within which a reader is still at the end. */
const NEAR_END = 120;

/**
 * Keeps the page's end in sight while `isFollowing`, whenever what is shown changes.
 * @param onLeftEnd called when the user scrolls away from the end
 */
export function useFollowEnd(isFollowing: boolean, shown: unknown, height: number, onLeftEnd: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page's end moves when these change
  useLayoutEffect(() => {
    if (isFollowing) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [isFollowing, shown, height]);
  useEffect(() => {
    if (!isFollowing) return;
    let last = window.scrollY;
    const check = () => {
      const isUpward = window.scrollY < last;
      last = window.scrollY;
      const toEnd = document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
      if (isUpward && toEnd > NEAR_END) onLeftEnd();
    };
    window.addEventListener('scroll', check, { passive: true });
    return () => window.removeEventListener('scroll', check);
  }, [isFollowing, onLeftEnd]);
}
