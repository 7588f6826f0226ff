import type { Said } from '@plugboard/llm';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  jsonInText,
  schemaProblem,
  schemaPrompt,
} from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import type { Ask, Question, Reply } from './model/ask.ts';
import { isSmall, listFiles, readText } from './tools/project-file.ts';

/** The input of `askForData`. */
export interface DataQuestion extends Pick<Question, 'system' | 'temperature' | 'signal'> {
  readonly text: string;
  readonly schema: JsonObject;
}

/**
 * Asks for data that conform to `schema`. The server is asked to enforce it; if it rejects the request, it is asked
 * without. The answer is validated in both cases, and the model gets one chance to correct it.
 */
export async function askForData(ask: Ask, question: DataQuestion): Promise<JsonObject> {
  const first: Said = { role: 'user', text: `${question.text}\n\n${schemaPrompt(question.schema)}` };
  const { reply, enforced } = await askEnforced(ask, question, [first]);
  const outcome = parseData(reply, question.schema);
  if (isObject(outcome.data)) return outcome.data;
  const again: Said = {
    role: 'user',
    text: `That cannot be used: ${outcome.problem} Answer again, with the whole JSON value and nothing else.`,
  };
  const said: Said[] = [first, { role: 'assistant', text: reply.text || '(nothing)', calls: [] }, again];
  const second = parseData(await askOnce(ask, question, said, enforced), question.schema);
  if (isObject(second.data)) return second.data;
  throw new BackendError('no-data', `The model did not answer in the form asked for: ${second.problem}`);
}

async function askEnforced(
  ask: Ask,
  question: DataQuestion,
  said: readonly Said[],
): Promise<{ readonly reply: Reply; readonly enforced: boolean }> {
  try {
    return { reply: await askOnce(ask, question, said, true), enforced: true };
  } catch (error) {
    if (!(error instanceof BackendError) || error.code !== 'bad-request') throw error;
    return { reply: await askOnce(ask, question, said, false), enforced: false };
  }
}

function askOnce(ask: Ask, question: DataQuestion, said: readonly Said[], enforce: boolean): Promise<Reply> {
  const { system, temperature, signal, schema } = question;
  return ask({ system, temperature, signal, said, tools: [], ...(enforce ? { schema } : {}) });
}

type Outcome = { readonly data: JsonValue } | { readonly data?: undefined; readonly problem: string };

function parseData({ text, cut }: Reply, schema: JsonObject): Outcome & { readonly problem?: string } {
  const data = jsonInText(text);
  const problem = data === undefined ? undefined : schemaProblem(data, schema);
  if (isObject(data) && problem === undefined) return { data };
  if (cut)
    return { problem: 'it was cut off. Set NIB_LOCAL_MAX_TOKENS higher if the scene needs it; be brief.' };
  return {
    problem: data === undefined ? 'it holds no JSON object.' : `${problem ?? 'it is not a JSON object'}.`,
  };
}

const MOST_CHARS = 200_000;

/**
 * Appends the text of every project file that the context names. Hosts name a scene by its path alone, and a model
 * whose output is bound to a schema cannot call a tool to read it.
 */
export function appendFiles(context: string, root: string, dir: string): string {
  const roots = [...new Set([root, dir.replace(/\/+$/, '')])];
  const named = listFiles(root).filter(
    (place) => roots.some((one) => hasPath(context, `${one}/${place.name}`)) || hasPath(context, place.name),
  );
  const texts = named.filter(isSmall).map((place) => `The file ${place.name}:\n\n${readText(place)}`);
  return [context, ...texts].join('\n\n').slice(0, Math.max(MOST_CHARS, context.length)).toWellFormed();
}

/** Whether `path` occurs as a whole, not as the end of another path. */
function hasPath(context: string, path: string): boolean {
  for (let at = context.indexOf(path); at !== -1; at = context.indexOf(path, at + 1)) {
    const before = context[at - 1] ?? ' ';
    const after = context[at + path.length] ?? ' ';
    if (!/[\w/.-]/.test(before) && !/[\w/-]/.test(after)) return true;
  }
  return false;
}
