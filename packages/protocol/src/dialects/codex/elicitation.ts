import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Answer, Question, QuestionOption } from '../../model/question.ts';

/** Answers that last, by the word that the program offers in `_meta.persist`. */
const PERSISTS: readonly (QuestionOption & { readonly persist: string })[] = [
  { id: 'session', label: 'Allow for this session', effect: 'allow-always', persist: 'session' },
  { id: 'always', label: 'Always allow', effect: 'allow-always', persist: 'always' },
];

/** The question of an MCP server, or of the program about a tool of one: that is a form without fields. */
export function readElicitation(params: JsonObject): Question | undefined {
  const { mode, url, serverName } = params;
  const [title = '', ...rest] = (stringOf(params.message) ?? '').trim().split('\n');
  const words = {
    title: title === '' ? `The MCP server ${serverName ?? ''} has a question.` : title,
    ...(rest.length === 0 ? {} : { detail: rest.join('\n').trim() }),
  };
  if (mode === 'url' && typeof url === 'string') return urlQuestion(words, url);
  const schema = objectOf(params.requestedSchema);
  if (params.requestedSchema === undefined || mode === 'url') return undefined;
  if (Object.keys(objectOf(schema.properties)).length === 0) return toolQuestion(params, words);
  return { kind: 'form', ...words, options: [], schema: { type: 'object', ...schema } };
}

type Words = Pick<Question, 'title' | 'detail'>;

function urlQuestion({ title, detail }: Words, url: string): Question {
  return {
    kind: 'choice',
    title,
    detail: detail === undefined ? url : `${detail}\n\n${url}`,
    options: [
      { id: 'accept', label: 'I have opened the page' },
      { id: 'decline', label: 'Do not open it' },
    ],
  };
}

function toolQuestion(params: JsonObject, words: Words): Question {
  const meta = objectOf(params._meta);
  const persist = meta.persist;
  const offered = Array.isArray(persist) ? listOf(persist) : [persist];
  const name = [params.serverName, meta.tool_name].filter((part) => typeof part === 'string').join('.');
  return {
    kind: 'permission',
    ...words,
    tool: { name: name === '' ? 'mcp' : name, input: meta.tool_params ?? {}, kind: 'other' },
    options: [
      { id: 'accept', label: 'Allow once', effect: 'allow-once' },
      ...PERSISTS.filter((one) => offered.includes(one.persist)).map(
        ({ persist: _word, ...option }) => option,
      ),
      { id: 'decline', label: 'Deny', effect: 'deny-once' },
    ],
  };
}

/** The result of an elicitation without an answer. */
export const ELICITATION_CANCELLED: JsonObject = { action: 'cancel', content: null, _meta: null };

/** The result of an elicitation. */
export function writeElicited({ kind, options, schema }: Question, answer: Answer): JsonObject {
  const { option, data, via } = answer;
  const no = via === 'person' || kind === 'permission' ? 'decline' : 'cancel';
  if (kind === 'form') {
    if (!isObject(data)) return { action: no, content: null, _meta: null };
    const known = objectOf(schema?.properties);
    const content = Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(known, name)));
    return { action: 'accept', content, _meta: null };
  }
  const chosen = options.find(({ id }) => id === option && id !== 'decline');
  if (chosen === undefined) return { action: no, content: null, _meta: null };
  const persist = PERSISTS.find(({ id }) => id === chosen.id)?.persist;
  const content = kind === 'permission' ? {} : null;
  return { action: 'accept', content, _meta: persist === undefined ? null : { persist } };
}
