import type { HostEffect } from '../../contract/host-side.ts';
import { stringOf, stringsOf } from '../../framing/narrow.ts';
import type { Ready } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { noteInit } from './inputs.ts';
import { noteMode, tellOptions } from './options.ts';
import { type ClaudeHostState, tell } from './state.ts';
import { noteTask, noteTasks } from './tasks.ts';

type Reader = (state: ClaudeHostState, value: JsonObject, out: HostEffect[]) => void;

const READERS: Readonly<Record<string, Reader>> = {
  init: readInit,
  status: readStatus,
  api_retry: readRetry,
  informational: (state, { content, level }, out) => {
    if (typeof content !== 'string' || content === '') return;
    if (level === 'warning' || level === 'error') tellProgress(state, content, out);
    else tell(state, { type: 'log', level: 'info', text: content, source: 'agent' }, out);
  },
  permission_denied: (state, { tool_name: tool, message, decision_reason: reason }, out) => {
    const why = stringOf(message) ?? stringOf(reason) ?? '';
    const text = `${stringOf(tool) ?? 'A tool'} was refused without a question. ${why}`.trim();
    tell(state, { type: 'log', level: 'warning', text, source: 'agent' }, out);
  },
  task_started: noteTask,
  task_progress: noteTask,
  task_updated: noteTask,
  task_notification: noteTask,
  background_tasks_changed: noteTasks,
};

/** A `system` line. Releases add subtypes every week: an unknown one is not reported. */
export function readSystem(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const subtype = stringOf(value.subtype) ?? '';
  if (Object.hasOwn(READERS, subtype)) READERS[subtype]?.(state, value, out);
}

/** `init` comes at the beginning of every turn; the process is introduced once. */
function readInit(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const isFirst = !state.isReady;
  state.isReady = true;
  state.workspace = stringOf(value.cwd) ?? state.workspace;
  noteInit(state, stringsOf(value.user_message_uuids), out);
  if (isFirst) tell(state, readReady(value), out);
  noteMode(state, value.permissionMode, out);
  if (!state.options.told) tellOptions(state, out);
}

function readReady(value: JsonObject): Ready {
  const { session_id: session, claude_code_version: version, model, permissionMode, cwd } = value;
  const servers = value.mcp_servers;
  return {
    type: 'ready',
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    tools: stringsOf(value.tools),
    ...(typeof model === 'string' ? { model } : {}),
    details: {
      ...(typeof cwd === 'string' ? { cwd } : {}),
      ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
      ...(Array.isArray(servers) && servers.length > 0 ? { mcp_servers: servers } : {}),
    },
  };
}

function readStatus(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  if (value.status === 'compacting')
    tellProgress(state, 'The conversation is being summarised, so that it fits the context.', out);
  if (value.compact_result === 'failed') {
    const why = stringOf(value.compact_error) ?? 'The program gives no reason.';
    tellProgress(state, `The conversation could not be summarised. ${why}`, out);
  }
  noteMode(state, value.permissionMode, out);
}

function readRetry(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const { attempt, max_retries: most, retry_delay_ms: delay, error_status: status, error } = value;
  const why = [status, error].filter((part) => typeof part === 'number' || typeof part === 'string');
  const pause = typeof delay === 'number' ? ` in ${(delay / 1000).toFixed(1)} s` : '';
  const count = typeof attempt === 'number' ? ` (${attempt} of ${most ?? '?'})` : '';
  const text = `The model's API has failed${why.length === 0 ? '' : `: ${why.join(' ')}`}. Trying again${pause}${count}.`;
  tellProgress(state, text, out);
}

/** Status lines outside of turns are for the operator. */
function tellProgress(state: ClaudeHostState, text: string, out: HostEffect[]): void {
  if (state.turn === undefined) tell(state, { type: 'log', level: 'info', text, source: 'agent' }, out);
  else tell(state, { type: 'progress', text }, out);
}
