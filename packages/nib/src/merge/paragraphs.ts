/** Whether paragraphs of a text are set apart by blank lines; if not, each line counts as a paragraph. */
export function hasBlankLines(text: string): boolean {
  return /\n[ \t]*\r?\n/.test(text);
}

/** Splits a text into paragraphs, or lines, and the white space between them, in turn; joined, they are the text. */
export function splitParagraphs(text: string, byLine: boolean): readonly string[] {
  return text.split(byLine ? /(\r?\n)/ : /(\r?\n[ \t]*\r?\n\s*|\s+$)/).filter((part) => part !== '');
}
