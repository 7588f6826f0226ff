/** In scripts without spaces between words, each character counts as a word, as is usual there. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}]|['’-](?=[\p{L}\p{N}]))*/gu;

export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}
