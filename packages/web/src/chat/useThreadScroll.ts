import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Entry } from '../state/entry.ts';

const NEAR_BOTTOM = 60;
const NEAR_TOP = 900;

interface Reading {
  readonly entries: readonly Entry[];
  readonly hasOlder: boolean;
  loadOlder(): Promise<void>;
}

interface ThreadScroll {
  readonly frame: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** The reader is not at the bottom. */
  readonly away: boolean;
  /** Something has come since. */
  readonly unseen: boolean;
  onScroll(): void;
  toBottom(): void;
}

/** Stays at the bottom for a reader who is there, and leaves alone one who is not. */
export function useThreadScroll({ entries, hasOlder, loadOlder }: Reading): ThreadScroll {
  const frame = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atBottom = useRef(true);
  const [away, setAway] = useState(false);
  const [unseen, setUnseen] = useState(false);
  useAnchor(frame, entries[0]?.key);

  const toBottom = useCallback((): void => {
    const { current } = frame;
    if (current !== null) current.scrollTop = current.scrollHeight;
  }, []);

  const onScroll = useCallback((): void => {
    const { current } = frame;
    if (current === null) return;
    atBottom.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_BOTTOM;
    setAway(!atBottom.current);
    if (atBottom.current) setUnseen(false);
    if (hasOlder && current.scrollTop < NEAR_TOP) loadOlder();
  }, [hasOlder, loadOlder]);

  // Whatever makes the content grow: text, a picture that has loaded, a phone that was turned.
  useEffect(() => {
    if (content.current === null || frame.current === null) return;
    const observer = new ResizeObserver(() => {
      if (atBottom.current) toBottom();
      onScroll();
    });
    observer.observe(content.current);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [toBottom, onScroll]);

  const last = entries.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what matters is that the last entry is another one than before
  useEffect(() => {
    if (!atBottom.current) setUnseen(true);
  }, [last]);

  return { frame, content, away, unseen, onScroll, toBottom };
}

/**
 * Keeps what is read in its place when older entries come above it. Browsers do this by themselves, except at the very
 * top; those that do not know it at all are helped here.
 */
function useAnchor(frame: RefObject<HTMLElement | null>, firstKey: string | undefined): void {
  const before = useRef({ key: firstKey, height: 0 });
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const { key, height } = before.current;
    const helped = CSS.supports('overflow-anchor', 'auto') && current.scrollTop > 0;
    if (key !== undefined && key !== firstKey && !helped) current.scrollTop += current.scrollHeight - height;
    before.current = { key: firstKey, height: current.scrollHeight };
  });
}
