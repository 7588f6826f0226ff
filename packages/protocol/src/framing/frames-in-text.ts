/** Whether every line of a text that is not blank looks like a frame of one of these types, and there is one. */
export function isOnlyFrames(text: string, types: readonly string[]): boolean {
  const frame = new RegExp(`^\\s*\\{\\s*"type"\\s*:\\s*"(?:${types.join('|')})"`);
  const lines = text.split('\n', 1000).filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => frame.test(line));
}
