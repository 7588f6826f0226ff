/** Lines that come faster than this were not typed. */
const TYPING_MS = 30;

/** Puts lines together that were pasted, so that they are one message and not many. */
export interface Paste {
  line(text: string): void;
  /** Hands over what has come so far. */
  flush(): void;
}

/**
 * `take` is given one line as it was typed, or several that came at once, joined by line ends. A line that begins with a
 * slash, and nothing before it, is not waited for.
 */
export function createPaste(take: (text: string) => void): Paste {
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    const text = lines.join('\n');
    const any = lines.length > 0;
    lines = [];
    if (any) take(text);
  };
  return {
    line(text) {
      lines.push(text);
      if (lines.length === 1 && text.startsWith('/')) return flush();
      clearTimeout(timer);
      timer = setTimeout(flush, TYPING_MS);
    },
    flush,
  };
}
