/** The tokens of a message beside its text: role, number and time. */
export const MESSAGE_OVERHEAD = 12;

/**
 * An estimate of the tokens of a text: 4 characters each, and about one for each character that takes 3 bytes. The byte
 * length is enough for both, so that no character is looked at.
 */
export function estimateTokens(text: string): number {
  const units = text.length;
  return Math.ceil(units / 4 + (Buffer.byteLength(text) - units) * 0.4);
}

/** The first `tokens` tokens of a text. A surrogate pair is not split. */
export function headOf(text: string, tokens: number): string {
  return wholeEnd(text.slice(0, lengthFor(text, tokens)));
}

/** The last `tokens` tokens of a text. A surrogate pair is not split. */
export function tailOf(text: string, tokens: number): string {
  const length = lengthFor(text, tokens);
  return length === 0 ? '' : wholeStart(text.slice(-length));
}

/** The first `tokens` tokens of a text, with an ellipsis when it was cut. */
export function shortenText(text: string, tokens: number): string {
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
