import type { HostEffect } from '../../contract/host-side.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { PlanStep, ToolResult } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { type ClaudeHostState, tell } from './state.ts';

/** Tools that keep a list of tasks, and show nothing else. */
const PLAN_TOOLS: ReadonlySet<string> = new Set([
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
]);

/** Whether a call only keeps the task list: it is shown as a `plan`. */
export function isPlanTool(name: string): boolean {
  return PLAN_TOOLS.has(name);
}

/** Keeps a call until its result. `TodoWrite` names the whole list, so that it is told at once. */
export function notePlanCall(
  state: ClaudeHostState,
  id: string,
  name: string,
  input: JsonObject,
  out: HostEffect[],
): void {
  state.planCalls.set(id, { name, input });
  if (name !== 'TodoWrite') return;
  const steps = listOf(input.todos).flatMap((todo) => {
    const { content, status } = objectOf(todo);
    return typeof content === 'string' ? [{ text: content, status: readStatus(status) }] : [];
  });
  tell(state, { type: 'plan', steps }, out);
}

/** Applies the result of a call to the list. False when the call was not one of a plan tool. */
export function notePlanResult(
  state: ClaudeHostState,
  { id, content, isError }: ToolResult,
  details: JsonObject,
  out: HostEffect[],
): boolean {
  const call = state.planCalls.get(id);
  if (call === undefined) return false;
  state.planCalls.delete(id);
  const input = objectOf(call.input);
  if (isError) tell(state, { type: 'log', level: 'warning', text: content, source: 'agent' }, out);
  else if (call.name === 'TaskCreate') createStep(state, input, content, details, out);
  else if (call.name === 'TaskUpdate') updateStep(state, input, out);
  return true;
}

function createStep(
  state: ClaudeHostState,
  { subject }: JsonObject,
  content: string,
  details: JsonObject,
  out: HostEffect[],
): void {
  const task = objectOf(details.task);
  const id = stringOf(task.id) ?? /#(\w+)/.exec(content)?.[1] ?? String(state.plan.size + 1);
  state.plan.set(id, { text: stringOf(subject) ?? stringOf(task.subject) ?? id, status: 'pending' });
  tellPlan(state, out);
}

function updateStep(
  state: ClaudeHostState,
  { taskId, status, subject }: JsonObject,
  out: HostEffect[],
): void {
  const id = String(taskId ?? '');
  const step = state.plan.get(id);
  if (step === undefined) return;
  if (status === 'deleted') state.plan.delete(id);
  else
    state.plan.set(id, {
      text: stringOf(subject) ?? step.text,
      status: status === undefined ? step.status : readStatus(status),
    });
  tellPlan(state, out);
}

function tellPlan(state: ClaudeHostState, out: HostEffect[]): void {
  tell(state, { type: 'plan', steps: [...state.plan.values()] }, out);
}

function readStatus(status: JsonValue | undefined): PlanStep['status'] {
  if (status === 'completed') return 'done';
  return status === 'in_progress' ? 'running' : 'pending';
}
