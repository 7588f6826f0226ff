/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object whose keys are not known in advance. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
