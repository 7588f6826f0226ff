/**
 * A text that fits on one line: runs of white space and control characters become one space. This is also what keeps names
 * that come from files from doing anything to a terminal.
 */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
