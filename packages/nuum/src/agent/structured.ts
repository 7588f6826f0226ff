import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';

/** What the model is told when the host wants data rather than words. */
export function schemaPrompt(schema: JsonObject): string {
  return `\n\nAnswer with one JSON value and nothing else. It must conform to this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** The JSON in an answer: as it is, in a fence, or after thinking aloud. Undefined when there is none. */
export function jsonIn(text: string): JsonValue | undefined {
  const plain = text.replace(/<think>[\s\S]*?<\/think>/g, '').trim();
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(plain)?.[1];
  const braced = plain.slice(plain.indexOf('{'), plain.lastIndexOf('}') + 1);
  for (const candidate of [plain, fenced, braced]) {
    const parsed = candidate === undefined || candidate === '' ? undefined : parseJson(candidate);
    if (parsed?.ok === true && (isObject(parsed.value) || Array.isArray(parsed.value))) return parsed.value;
  }
  return undefined;
}
