import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { PlanStep } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** Names that differ from those of `codex app-server` by more than their spelling. */
const STATUS: Readonly<Record<string, string>> = { in_progress: 'inProgress' };

/** An item of `codex exec`, with the names that `codex app-server` has. */
export function readItem(item: JsonObject): JsonObject {
  const { type, status, changes } = item;
  const named = Object.fromEntries(
    Object.entries(item).map(([name, value]) => [camelCase(name), value ?? null]),
  );
  return {
    ...named,
    ...(typeof type === 'string' ? { type: camelCase(type) } : {}),
    ...(typeof status === 'string' ? { status: STATUS[status] ?? status } : {}),
    ...(changes === undefined ? {} : { changes: listOf(changes).map(readChange) }),
  };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** A change names its kind by a word, and has no text. */
function readChange(value: JsonValue): JsonObject {
  const change = objectOf(value);
  return { ...change, kind: isObject(change.kind) ? change.kind : { type: change.kind ?? 'update' } };
}

/** The steps of a `todo_list`. The first open step is `running`. */
export function readSteps({ items }: JsonObject): PlanStep[] {
  const steps = listOf(items).flatMap((value): PlanStep[] => {
    const { text, completed } = objectOf(value);
    const words = stringOf(text);
    return words === undefined ? [] : [{ text: words, status: completed === true ? 'done' : 'pending' }];
  });
  const next = steps.findIndex(({ status }) => status === 'pending');
  return steps.map((step, at) => (at === next ? { ...step, status: 'running' } : step));
}
