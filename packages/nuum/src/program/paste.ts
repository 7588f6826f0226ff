/** Lines that follow each other faster were pasted. */
const TYPING_MS = 30;

/** Joins pasted lines to one message. */
export interface Paste {
  line(text: string): void;
  /** Passes on the lines so far. */
  flush(): void;
}

/**
 * `take` receives a typed line, or pasted lines joined by line ends. A line that begins with a slash is passed on at
 * once, unless pasted lines come before it.
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
