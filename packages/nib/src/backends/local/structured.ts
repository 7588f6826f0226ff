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
import { ServerError } from './model/error.ts';
import type { Said } from './model/said.ts';
import { filesOf, isSmall, textOf } from './tools/place.ts';

/** A question that is to be answered with data. */
export interface DataQuestion extends Pick<Question, 'system' | 'temperature' | 'signal'> {
  readonly text: string;
  readonly schema: JsonObject;
}

/**
 * Asks for data that conform to a schema. The server is asked to see to it; one that cannot is asked without. Either way
 * the answer is checked, and the model gets one chance to mend it.
 */
export async function askForData(ask: Ask, question: DataQuestion): Promise<JsonObject> {
  const first: Said = { role: 'user', text: `${question.text}\n\n${schemaPrompt(question.schema)}` };
  const { reply, enforced } = await enforcedIfPossible(ask, question, [first]);
  const outcome = dataIn(reply, question.schema);
  if (isObject(outcome.data)) return outcome.data;
  const again: Said = {
    role: 'user',
    text: `That cannot be used: ${outcome.problem} Answer again, with the whole JSON value and nothing else.`,
  };
  const said: Said[] = [first, { role: 'assistant', text: reply.text || '(nothing)' }, again];
  const second = dataIn(await askOnce(ask, question, said, enforced), question.schema);
  if (isObject(second.data)) return second.data;
  throw new BackendError('no-data', `The model did not answer in the form asked for: ${second.problem}`);
}

async function enforcedIfPossible(
  ask: Ask,
  question: DataQuestion,
  said: readonly Said[],
): Promise<{ readonly reply: Reply; readonly enforced: boolean }> {
  try {
    return { reply: await askOnce(ask, question, said, true), enforced: true };
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== 'bad-request') throw error;
    return { reply: await askOnce(ask, question, said, false), enforced: false };
  }
}

function askOnce(ask: Ask, question: DataQuestion, said: readonly Said[], enforce: boolean): Promise<Reply> {
  const { system, temperature, signal, schema } = question;
  return ask({ system, temperature, signal, said, tools: [], ...(enforce ? { schema } : {}) });
}

type Outcome = { readonly data: JsonValue } | { readonly data?: undefined; readonly problem: string };

function dataIn({ text, cut }: Reply, schema: JsonObject): Outcome & { readonly problem?: string } {
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
 * A context with the text of every file of the project that it names. Hosts name the scene by its path alone, and a model
 * whose answer is held to a schema has no way to call a tool for it.
 */
export function withFiles(context: string, root: string, dir: string): string {
  const roots = [...new Set([root, dir.replace(/\/+$/, '')])];
  const named = filesOf(root).filter(
    (place) =>
      roots.some((one) => mentions(context, `${one}/${place.name}`)) || mentions(context, place.name),
  );
  const texts = named.filter(isSmall).map((place) => `The file ${place.name}:\n\n${textOf(place)}`);
  return [context, ...texts].join('\n\n').slice(0, Math.max(MOST_CHARS, context.length)).toWellFormed();
}

/** Whether a path stands there as a whole, and not as the end of another. */
function mentions(context: string, path: string): boolean {
  for (let at = context.indexOf(path); at !== -1; at = context.indexOf(path, at + 1)) {
    const before = context[at - 1] ?? ' ';
    const after = context[at + path.length] ?? ' ';
    if (!/[\w/.-]/.test(before) && !/[\w/-]/.test(after)) return true;
  }
  return false;
}
