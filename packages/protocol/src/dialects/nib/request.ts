import { isObject, parseJson, repeatsKey } from '../../framing/json.ts';
import { type Fault, fault } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { baseName, withAddresses } from '../../model/media.ts';
import { type Attachment, createTurn, type SessionRef, type Turn } from '../../model/turn.ts';
import { FIELD_ORDER } from './operations.ts';

/** An outgoing request, with the two fields that `launch` needs. */
export interface OutgoingRequest {
  readonly operation: string;
  readonly dir: string;
  readonly toJson: () => string;
}

/**
 * The request for a turn. A turn without an operation becomes a `continuity-ask`, the only operation that is a
 * question: its text is `question` and its files, if any, are `paths`.
 */
export function createRequest(turn: Turn, root: string): OutgoingRequest {
  const operation = operationOf(turn);
  const fields = turn.operation?.fields ?? foldedFields(turn, root);
  const dir = typeof fields.dir === 'string' && fields.dir !== '' ? fields.dir : root;
  const schema = turn.schema === undefined ? {} : { schema: turn.schema };
  return { operation, dir, toJson: () => inOrder({ ...fields, operation, dir, ...schema }) };
}

/** JSON with the fields in `FIELD_ORDER`, followed by unknown fields. */
function inOrder(request: JsonObject): string {
  const keys = new Set<string>([...FIELD_ORDER, ...Object.keys(request)]);
  return JSON.stringify(Object.fromEntries([...keys].map((key) => [key, request[key]] as const)));
}

/** The name of the operation for a turn; `continuity-ask` for a turn without one. */
export function operationOf(turn: Turn): string {
  return turn.operation?.name ?? 'continuity-ask';
}

function foldedFields(turn: Turn, root: string): JsonObject {
  const paths = turn.attachments.flatMap(({ path }) => (path === undefined ? [] : [inProject(path, root)]));
  // A URL cannot be one of `paths`, so it is appended to the question.
  const addresses = turn.attachments.flatMap(({ path, url }) => (path === undefined && url ? [url] : []));
  return { question: withAddresses(turn.text, addresses), ...(paths.length > 0 ? { paths } : {}) };
}

/** Makes a path below `root` relative to it, as `paths` must be; any other path is returned unchanged. */
function inProject(path: string, root: string): string {
  const folder = root.endsWith('/') ? root : `${root}/`;
  const inside = path.startsWith(folder) ? path.slice(folder.length) : '';
  return inside === '' || inside.split('/').includes('..') ? path : inside;
}

/** The result of `readRequest`. */
export type RequestReading =
  | { readonly ok: true; readonly turn: Turn }
  | { readonly ok: false; readonly fault: Fault };

/** Reads a request into a turn that keeps every field, known or not. */
export function readRequest(source: string, id: string): RequestReading {
  if (source.trim() === '') return refuse('Input ended before a request came.');
  const parsed = parseJson(source);
  if (!parsed.ok) return parsed;
  if (!isObject(parsed.value)) return refuse('A request must be a JSON object.', source);
  if (repeatsKey(source, 'operation')) {
    return { ok: false, fault: fault('duplicate-key', 'The request says its `operation` twice.', source) };
  }
  const { operation, ...fields } = parsed.value;
  if (typeof operation !== 'string' || operation === '') {
    return refuse('A request must name its `operation`.', source);
  }
  return { ok: true, turn: toTurn(operation, fields, id) };
}

function refuse(message: string, source?: string): RequestReading {
  return { ok: false, fault: fault('malformed-frame', message, source) };
}

function toTurn(name: string, all: JsonObject, id: string): Turn {
  const { schema, ...others } = all;
  const takesSchema = isObject(schema);
  const dir = textOf(all.dir);
  const paths = Array.isArray(all.paths) ? all.paths.filter((path) => typeof path === 'string') : [];
  return createTurn({
    id,
    text: textOf(all.question) || textOf(all.context) || describe(name, all, paths),
    attachments: paths.map((path) => fileAt(dir, path)),
    session: readSession(all.session, dir),
    operation: { name, fields: takesSchema ? others : all },
    ...(takesSchema ? { schema } : {}),
  });
}

/** A request without a question or a context, in words: `scene-proof scenes/foo.md`. */
function describe(name: string, fields: JsonObject, paths: readonly string[]): string {
  const subject = [textOf(fields.character_slug), textOf(fields.project_name)];
  return [name, ...subject, ...paths].filter((part) => part !== '').join(' ');
}

/** `agentId` is set only when the host asks to `resume`. An absent flag is false. */
function readSession(session: JsonValue | undefined, dir: string): SessionRef {
  const id = isObject(session) ? textOf(session.id) : '';
  const project = dir === '' ? 'nib' : `nib:${dir}`;
  if (id === '') return { key: project };
  // Two projects may give their conversations the same id.
  const key = dir === '' ? id : `${project}:${id}`;
  return isObject(session) && session.resume === true ? { key, agentId: id } : { key };
}

function fileAt(dir: string, path: string): Attachment {
  const isWhole = path.startsWith('/') || dir === '';
  return {
    kind: 'file',
    path: isWhole ? path : dir.endsWith('/') ? dir + path : `${dir}/${path}`,
    name: baseName(path),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
