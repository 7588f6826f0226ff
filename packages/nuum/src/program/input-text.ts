const WHOLE_CHARS = 4_000;

/** The input of a call for a question to the user: complete up to `WHOLE_CHARS`, else its beginning and end. */
export function inputText(input: unknown): string {
  const json = JSON.stringify(input);
  if (json.length <= WHOLE_CHARS) return json;
  const half = WHOLE_CHARS / 2;
  return `${json.slice(0, half)} [… ${json.length - WHOLE_CHARS} characters are not shown …] ${json.slice(-half)}`;
}
