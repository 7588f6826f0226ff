/**
 * Replaces runs of white space and control characters by one space. Names come from files, and must not send control
 * sequences to a terminal.
 */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
