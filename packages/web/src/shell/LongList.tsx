import { createContext, memo, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { cutSections, type Section } from './sections.ts';
import './long-list.css';

/** Sections within this distance of the visible part of the scroll container are in the document. */
const MARGIN = 1_000;

/** `colSpan` of an unmounted section in a table; no table here has more than 3 columns. */
const COLUMNS = 3;

/** Printing has no visible part: between `beforeprint` and `afterprint` every section is mounted. */
let isPrinting = false;
// Added before the listeners of mounted sections, which call `setNear` and so mount nested sections.
window.addEventListener('beforeprint', () => {
  isPrinting = true;
});
window.addEventListener('afterprint', () => {
  isPrinting = false;
});

/** State of unmounted sections: their heights and open folds. */
interface Memory {
  readonly heights: Map<string, number>;
  readonly openFolds: Set<string>;
}

const MemoryContext = createContext<Memory>({ heights: new Map(), openFolds: new Set() });

/** Provides one `Memory` for all long lists below it. */
export function LongListMemory({ children }: { readonly children: ReactNode }): ReactNode {
  const [memory] = useState<Memory>(() => ({ heights: new Map(), openFolds: new Set() }));
  return <MemoryContext value={memory}>{children}</MemoryContext>;
}

/** Whether a fold is open, as `useState`, but kept while its section is unmounted. */
export function useFold(key: string): [boolean, (open: boolean) => void] {
  const { openFolds } = useContext(MemoryContext);
  const [open, setOpen] = useState(() => openFolds.has(key));
  const set = (next: boolean): void => {
    if (next) openFolds.add(key);
    else openFolds.delete(key);
    setOpen(next);
  };
  return [open, set];
}

interface LongListProps<T> {
  /** Unique among the long lists of one `Memory`. */
  readonly name: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** A new function renders all mounted sections again, so callers keep it stable. */
  readonly render: (item: T) => ReactNode;
  /** Pixels of an item that was never mounted. */
  readonly estimate: number;
  /** The end that is in sight at first. */
  readonly opensAt: 'start' | 'end';
  /** Sections of a table are its row groups. */
  readonly tag?: 'div' | 'tbody';
}

/**
 * A list whose sections are in the document only while they are near the visible part. Unlike `content-visibility`,
 * which skips layout and paint alone, this bounds the number of nodes.
 */
export function LongList<T>(props: LongListProps<T>): ReactNode {
  const { name, items, keyOf, render, estimate, opensAt, tag = 'div' } = props;
  const sections = cutSections(items, keyOf);
  return sections.map((section, index) => (
    <SectionView
      key={section.key}
      name={`${name}/${section.key}`}
      section={section}
      render={render as (item: unknown) => ReactNode}
      estimate={estimate}
      atFirst={opensAt === 'start' ? index < 2 : index >= sections.length - 2}
      tag={tag}
    />
  ));
}

interface SectionProps {
  readonly name: string;
  readonly section: Section<unknown>;
  readonly render: (item: unknown) => ReactNode;
  readonly estimate: number;
  readonly atFirst: boolean;
  readonly tag: 'div' | 'tbody';
}

const SectionView = memo(function SectionView(props: SectionProps): ReactNode {
  const { name, section, render, estimate, atFirst, tag: Tag } = props;
  const { heights } = useContext(MemoryContext);
  const place = useRef<HTMLElement>(null);
  const [near, setNear] = useState(atFirst || isPrinting);
  useNearness(place, setNear, (height) => heights.set(name, height));
  const height = heights.get(name) ?? section.items.length * estimate;
  useScrollCorrection(place, near, height);
  const ref = (element: HTMLElement | null): void => {
    place.current = element;
  };
  if (near) {
    return (
      <Tag ref={ref} className="list-section">
        {section.items.map(render)}
      </Tag>
    );
  }
  return (
    <Tag ref={ref} className="list-section" style={Tag === 'div' ? { height } : {}}>
      {Tag === 'div' ? null : (
        <tr style={{ height }}>
          <td colSpan={COLUMNS} />
        </tr>
      )}
    </Tag>
  );
}, isSameSection);

/** A section is made anew with its list; its items are not. */
function isSameSection(before: SectionProps, after: SectionProps): boolean {
  const [old, young] = [before.section.items, after.section.items];
  return (
    before.render === after.render &&
    before.name === after.name &&
    old.length === young.length &&
    old.every((item, index) => item === young[index])
  );
}

type Place = { readonly current: HTMLElement | null };

/** Tells whether a section is near the visible part, and its height when it leaves. */
function useNearness(
  place: Place,
  setNear: (near: boolean) => void,
  onLeave: (height: number) => void,
): void {
  const latest = useRef(onLeave);
  latest.current = onLeave;
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const printing = new AbortController();
    const { signal } = printing;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (entry === undefined) return;
        if (entry.isIntersecting) return setNear(true);
        if (isPrinting || isInUse(current)) return;
        latest.current(entry.boundingClientRect.height);
        setNear(false);
      },
      { root: scrollContainerOf(current), rootMargin: `${MARGIN}px 0px` },
    );
    observer.observe(current);
    window.addEventListener('beforeprint', () => flushSync(() => setNear(true)), { signal });
    window.addEventListener(
      'afterprint',
      () => {
        // `observe` after `unobserve` reports the section once more, with its current position.
        observer.unobserve(current);
        observer.observe(current);
      },
      { signal },
    );
    return () => {
      observer.disconnect();
      printing.abort();
    };
  }, [place, setNear]);
}

/**
 * WebKit has no scroll anchoring (`overflow-anchor`): a section above the visible part that changes its height would
 * move the text that is read.
 */
function useScrollCorrection(place: Place, near: boolean, expected: number): void {
  const before = useRef(near);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null || before.current === near) return;
    before.current = near;
    if (CSS.supports('overflow-anchor', 'auto')) return;
    const frame = scrollContainerOf(current);
    const { bottom, height } = current.getBoundingClientRect();
    if (frame === null || bottom - height + expected > frame.getBoundingClientRect().top) return;
    frame.scrollTop += height - expected;
  });
}

/** The focus, a selection or a player would be lost with the nodes that hold them. */
function isInUse(element: HTMLElement): boolean {
  if (element.contains(document.activeElement)) return true;
  const selection = document.getSelection();
  if (selection !== null && !selection.isCollapsed && selection.containsNode(element, true)) return true;
  return [...element.querySelectorAll<HTMLMediaElement>('audio, video')].some(({ paused }) => !paused);
}

function scrollContainerOf(element: HTMLElement): HTMLElement | null {
  for (let one = element.parentElement; one !== null; one = one.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(one).overflowY)) return one;
  }
  return null;
}
