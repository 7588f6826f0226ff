import { isObject } from '../../framing/json.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { Task } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** Reads a task, or returns undefined without `id` or `type`, which are needed to tell tasks apart. */
export function readTask(value: JsonValue): Task | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.type !== 'string') return undefined;
  const createdAt = stringOf(value.createdAt);
  const firesAt = stringOf(value.firesAt);
  return {
    id: value.id,
    kind: value.type,
    description: stringOf(value.description) ?? '',
    status: stringOf(value.status) ?? '',
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(firesAt === undefined ? {} : { firesAt }),
  };
}

/** A task as the wire spells it. */
export function writeTask({ id, kind, ...rest }: Task): JsonObject {
  return { id, type: kind, ...rest };
}
