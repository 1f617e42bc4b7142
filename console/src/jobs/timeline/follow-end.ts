import { useEffect, useLayoutEffect } from 'react';

/** Pixels from the end of the page that count as the end. */
const NEAR_END_PX = 120;

/**
 * Keeps the page scrolled to its end while `isFollowing`.
 * @param onLeftEnd called when the user scrolls away from the end
 */
export function useFollowEnd(isFollowing: boolean, shown: unknown, height: number, onLeftEnd: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the page moves when these change
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
      if (isUpward && toEnd > NEAR_END_PX) onLeftEnd();
    };
    window.addEventListener('scroll', check, { passive: true });
    return () => window.removeEventListener('scroll', check);
  }, [isFollowing, onLeftEnd]);
}
