import { parseJson } from './json.ts';
import { objectOf, stringOf } from './narrow.ts';

/** The words of an error that may be the JSON body of an HTTP answer; else the text itself. */
export function wordsIn(text: string): string {
  if (!text.trimStart().startsWith('{')) return text;
  const parsed = parseJson(text);
  if (!parsed.ok) return text;
  const { error, message } = objectOf(parsed.value);
  return stringOf(objectOf(error).message) ?? stringOf(message) ?? text;
}
