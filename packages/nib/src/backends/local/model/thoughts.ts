const OPENING = /<think(?:ing)?>/;
const CLOSING = /<\/think(?:ing)?>/;
const LONGEST_MARK = '</thinking>'.length;

/** Lets through what a model says while it streams, and keeps back what it thinks aloud between marks. */
export interface ThoughtFilter {
  push(text: string): string;
  /** What was kept back because it might have been the beginning of a mark. */
  end(): string;
}

/** A mark may come in pieces, so that what could be the beginning of one waits for the next piece. */
export function createThoughtFilter(): ThoughtFilter {
  let waiting = '';
  let thinking = false;
  let spoken = false;

  /** White space before the first word is left over from the thoughts. */
  const speak = (text: string): string => {
    const shown = spoken ? text : text.trimStart();
    spoken ||= shown !== '';
    return shown;
  };
  return {
    push(text) {
      waiting += text;
      let shown = '';
      for (let mark = (thinking ? CLOSING : OPENING).exec(waiting); mark !== null; ) {
        if (!thinking) shown += speak(waiting.slice(0, mark.index));
        waiting = waiting.slice(mark.index + mark[0].length);
        thinking = !thinking;
        mark = (thinking ? CLOSING : OPENING).exec(waiting);
      }
      const kept = waiting.length - unfinishedMark(waiting);
      if (!thinking) shown += speak(waiting.slice(0, kept));
      waiting = waiting.slice(kept);
      return shown;
    },
    end() {
      const shown = thinking ? '' : speak(waiting);
      waiting = '';
      return shown;
    },
  };
}

/** How many characters at the end could be the beginning of a mark. */
function unfinishedMark(text: string): number {
  const at = text.lastIndexOf('<');
  const tail = at === -1 ? '' : text.slice(at);
  if (tail === '' || tail.length >= LONGEST_MARK) return 0;
  return ['<think>', '<thinking>', '</think>', '</thinking>'].some((mark) => mark.startsWith(tail))
    ? tail.length
    : 0;
}
