import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { ToolCall } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { FileDiff, FileLocation, ToolContent, ToolKind } from '../../model/tool.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  NotebookRead: 'read',
  LSP: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  ToolSearch: 'search',
  Bash: 'execute',
  BashOutput: 'execute',
  KillShell: 'execute',
  PowerShell: 'execute',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Task: 'think',
  Agent: 'think',
  EnterPlanMode: 'switch-mode',
  ExitPlanMode: 'switch-mode',
};

/** The kind of a tool. */
export function kindOfTool(name: string): ToolKind {
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'other') : 'other';
}

/** The event of a `tool_use` block, whose input is complete. */
export function describeCall(id: string, name: string, input: JsonValue, workspace: string): ToolCall {
  const fields = objectOf(input);
  const locations = locationsOf(fields);
  const diffs = diffsOf(name, fields);
  const title = titleOf(name, fields, workspace);
  return {
    type: 'tool-call',
    id,
    name,
    input,
    ...(title === undefined ? {} : { title }),
    kind: kindOfTool(name),
    ...(locations.length === 0 ? {} : { locations }),
    ...(diffs.length === 0 ? {} : { content: diffs }),
  };
}

/** One line about a call, for a person. */
export function titleOf(name: string, input: JsonObject, workspace: string): string | undefined {
  const path = stringOf(input.file_path) ?? stringOf(input.notebook_path);
  if (path !== undefined) return `${name} ${relativePath(path, workspace)}`;
  if (name === 'Bash') return firstLine(stringOf(input.description) ?? stringOf(input.command));
  const said = [input.description, input.pattern, input.query, input.url, input.subject].find(
    (value) => typeof value === 'string' && value !== '',
  );
  const line = firstLine(stringOf(said));
  return line === undefined ? undefined : `${name}: ${line}`;
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n', 1)[0];
  return line === undefined || line === '' ? undefined : line;
}

function relativePath(path: string, workspace: string): string {
  const root = workspace.endsWith('/') ? workspace : `${workspace}/`;
  return path.startsWith(root) ? path.slice(root.length) : path;
}

function locationsOf({ file_path: file, notebook_path: notebook, path, offset }: JsonObject): FileLocation[] {
  const found = stringOf(file) ?? stringOf(notebook) ?? stringOf(path);
  if (found === undefined) return [];
  return [{ path: found, ...(typeof offset === 'number' && offset >= 1 ? { line: offset } : {}) }];
}

/** The changes that a call would make. The old text of a file that `Write` replaces is not known. */
export function diffsOf(name: string, input: JsonObject): FileDiff[] {
  const path = stringOf(input.file_path) ?? stringOf(input.notebook_path);
  if (path === undefined) return [];
  if (name === 'Write') return diff(path, undefined, input.content);
  if (name === 'Edit') return diff(path, input.old_string, input.new_string);
  if (name === 'NotebookEdit') return diff(path, undefined, input.new_source);
  if (name !== 'MultiEdit') return [];
  return listOf(input.edits)
    .map(objectOf)
    .flatMap((edit) => diff(path, edit.old_string, edit.new_string));
}

function diff(path: string, before: JsonValue | undefined, after: JsonValue | undefined): FileDiff[] {
  if (typeof after !== 'string') return [];
  const old = typeof before === 'string' && before !== '' ? { oldText: before } : {};
  return [{ type: 'diff', path, ...old, newText: after }];
}

/** The parts of a `tool_use_result`: the change that was made, or the output of a command. */
export function partsOf(result: JsonObject, isError: boolean, text: string): ToolContent[] {
  const { filePath, structuredPatch, content, stdout, stderr, type } = result;
  if (typeof filePath === 'string') {
    const hunks = listOf(structuredPatch).map(objectOf);
    if (hunks.length > 0)
      return [{ type: 'diff', path: filePath, patch: unifiedPatch(filePath, hunks, type === 'create') }];
    return type === 'create' && typeof content === 'string'
      ? [{ type: 'diff', path: filePath, newText: content }]
      : [];
  }
  if (typeof stdout !== 'string' && typeof stderr !== 'string') return [];
  const output = [stdout, stderr].filter((part) => typeof part === 'string' && part !== '').join('\n');
  const code = isError ? /^Exit code (\d+)/.exec(text)?.[1] : '0';
  return [{ type: 'output', output, ...(code === undefined ? {} : { exitCode: Number(code) }) }];
}

function unifiedPatch(path: string, hunks: readonly JsonObject[], isNew: boolean): string {
  const parts = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...listOf(lines).map(String)].join('\n'),
  );
  return [`--- ${isNew ? '/dev/null' : path}`, `+++ ${path}`, ...parts, ''].join('\n');
}
