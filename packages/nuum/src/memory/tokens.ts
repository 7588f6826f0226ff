/** What one message takes beside its text: its role, number and time. */
export const MESSAGE_OVERHEAD = 12;

/**
 * Roughly how many tokens a text is: four characters each, but about one for each character of scripts that take three
 * bytes for it. Both come from the length in bytes, which is known without a look at every character.
 */
export function estimateTokens(text: string): number {
  const units = text.length;
  return Math.ceil(units / 4 + (Buffer.byteLength(text) - units) * 0.4);
}

/** The first part of a text that is about so many tokens, never ending in half a character. */
export function headOf(text: string, tokens: number): string {
  return wholeEnd(text.slice(0, lengthFor(text, tokens)));
}

/** The last part of a text that is about so many tokens, never beginning with half a character. */
export function tailOf(text: string, tokens: number): string {
  const length = lengthFor(text, tokens);
  return length === 0 ? '' : wholeStart(text.slice(-length));
}

/** A text on one line that takes at most about so many tokens, with an ellipsis where it was cut. */
export function shortened(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  return `${headOf(text, Math.max(0, tokens - 1)).trimEnd()}…`;
}

function lengthFor(text: string, tokens: number): number {
  if (tokens <= 0) return 0;
  return Math.min(text.length, Math.floor((text.length * tokens) / Math.max(1, estimateTokens(text))));
}

function wholeEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function wholeStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
