import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const NEAR_BOTTOM = 60;
const NEAR_TOP = 900;

interface Reading {
  /** `first` and `last` are the numbers of the oldest and the newest loaded event. */
  readonly first: number;
  readonly last: number;
  readonly hasOlder: boolean;
  loadOlder(): Promise<void>;
}

interface ThreadScroll {
  readonly frame: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** The reader is not at the bottom. */
  readonly away: boolean;
  /** New events have arrived while the reader was not at the bottom. */
  readonly unseen: boolean;
  onScroll(): void;
  toBottom(): void;
}

/** `scrollTop` and `scrollHeight` as they were last seen. */
interface Position {
  top: number;
  height: number;
}

/** Follows new content while the reader is at the bottom; keeps the position otherwise. */
export function useThreadScroll({ first, last, hasOlder, loadOlder }: Reading): ThreadScroll {
  const frame = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const seen = useRef<Position>({ top: 0, height: 0 });
  const [away, setAway] = useState(false);
  const [unseen, setUnseen] = useState(false);
  useOlderPages(frame, seen, first);

  const toBottom = useCallback((): void => {
    const { current } = frame;
    if (current === null) return;
    current.scrollTop = current.scrollHeight;
    notePosition(seen.current, current);
  }, []);

  const onScroll = useCallback((): void => {
    const { current } = frame;
    if (current === null) return;
    const distance = distanceToEnd(current);
    if (hasMovedUp(seen.current, current)) following.current = false;
    else if (distance < NEAR_BOTTOM) following.current = true;
    notePosition(seen.current, current);
    // While `following`, `toBottom` sets the position; scroll anchoring would decrease `scrollTop` when a section above
    // shrinks.
    current.style.overflowAnchor = following.current ? 'none' : 'auto';
    setAway(!following.current && distance >= NEAR_BOTTOM);
    if (following.current) setUnseen(false);
    if (hasOlder && current.scrollTop < NEAR_TOP) loadOlder();
  }, [hasOlder, loadOlder]);

  const onResize = useCallback((): void => {
    if (following.current) toBottom();
    onScroll();
  }, [toBottom, onScroll]);

  // A `ResizeObserver` reports every growth: text, loaded pictures, a rotated screen.
  useEffect(() => {
    if (content.current === null || frame.current === null) return;
    const observer = new ResizeObserver(onResize);
    observer.observe(content.current);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [onResize]);

  // An older page of `log` events changes no height, so the ResizeObserver would not ask for the page before it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `first` changes with every older page
  useEffect(onResize, [first, onResize]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `last` changes with every new event
  useEffect(() => {
    if (!following.current) setUnseen(true);
  }, [last]);

  return { frame, content, away, unseen, onScroll, toBottom };
}

function distanceToEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

/**
 * Whether a person has scrolled up since `seen`. Content that grows moves the end away, but never `scrollTop`; content
 * that shrinks lets the browser clamp it, which is not a move either.
 */
function hasMovedUp(seen: Position, { scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollTop < Math.min(seen.top, scrollHeight - clientHeight) - 1;
}

function notePosition(seen: Position, { scrollTop, scrollHeight }: HTMLElement): void {
  seen.top = scrollTop;
  seen.height = scrollHeight;
}

/**
 * Corrects `scrollTop` when an older page is prepended, also within the first entry. Scroll anchoring does that in
 * Chromium and Firefox, except at `scrollTop` 0; WebKit has none.
 */
function useOlderPages(frame: RefObject<HTMLElement | null>, seen: RefObject<Position>, first: number): void {
  const before = useRef(first);
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const helped = CSS.supports('overflow-anchor', 'auto') && current.scrollTop > 0;
    const older = first < before.current;
    before.current = first;
    if (!older) return;
    if (!helped) current.scrollTop += current.scrollHeight - seen.current.height;
    notePosition(seen.current, current);
  }, [frame, seen, first]);
}
