/**
 * Whether the text has non-blank lines and all of them look like a frame of one of `types`. Looks at the first 1000
 * lines.
 */
export function isOnlyFrames(text: string, types: readonly string[]): boolean {
  const frame = new RegExp(`^\\s*\\{\\s*"type"\\s*:\\s*"(?:${types.join('|')})"`);
  const lines = text.split('\n', 1000).filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => frame.test(line));
}
