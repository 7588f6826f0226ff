import type { HostEffect } from '../../contract/host-side.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { Task } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { type ClaudeHostState, type KnownTask, tell } from './state.ts';

/**
 * A line about a task. A command that the turn waits for is a task as well, with `is_backgrounded: false`: it is kept,
 * and told when it goes to the background.
 */
export function noteTask(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const id = stringOf(value.task_id);
  if (id === undefined) return;
  const patch = { ...value, ...objectOf(value.patch) };
  const before = state.tasks.get(id);
  const task = readTask(id, patch, before);
  const isBackground =
    patch.is_backgrounded === undefined ? before?.isBackground !== false : patch.is_backgrounded === true;
  if (before === undefined && isOver(task)) return;
  state.tasks.set(id, { ...task, isBackground });
  if (isBackground && !isSame(before, { ...task, isBackground })) tellTasks(state, out);
  if (isOver(task)) state.tasks.delete(id);
}

/** The whole list of background tasks. */
export function noteTasks(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  if (!Array.isArray(value.tasks)) return;
  const waited = [...state.tasks].filter(([, { isBackground }]) => !isBackground);
  const listed = listOf(value.tasks).flatMap((entry) => {
    const fields = objectOf(entry);
    const id = stringOf(fields.task_id) ?? stringOf(fields.id);
    if (id === undefined) return [];
    return [[id, { ...readTask(id, fields, state.tasks.get(id)), isBackground: true }] as const];
  });
  const before = JSON.stringify(listTasks(state));
  state.tasks.clear();
  for (const [id, task] of [...waited, ...listed]) state.tasks.set(id, task);
  if (JSON.stringify(listTasks(state)) !== before) tellTasks(state, out);
}

function readTask(id: string, fields: JsonObject, before: Task | undefined): Task {
  return {
    id,
    kind: stringOf(fields.task_type) ?? before?.kind ?? 'task',
    description: stringOf(fields.description) ?? before?.description ?? stringOf(fields.summary) ?? '',
    status: stringOf(fields.status) ?? before?.status ?? 'running',
  };
}

function isOver({ status }: Task): boolean {
  return status !== 'running' && status !== 'pending' && status !== 'started';
}

function isSame(before: KnownTask | undefined, task: KnownTask): boolean {
  return JSON.stringify(before) === JSON.stringify(task);
}

function listTasks({ tasks }: ClaudeHostState): Task[] {
  return [...tasks.values()].flatMap(({ isBackground, ...task }) => (isBackground ? [task] : []));
}

function tellTasks(state: ClaudeHostState, out: HostEffect[]): void {
  tell(state, { type: 'tasks', tasks: listTasks(state) }, out);
}
