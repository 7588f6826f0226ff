import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Answer, Question } from '../../model/question.ts';
import type { OpenAsk } from './host-state.ts';

type Asked = Pick<OpenAsk, 'question' | 'about'>;

/** The question of an `elicitation/create`; undefined for a mode that this host has not offered. */
export function readElicitation(params: JsonObject): Asked | undefined {
  const words = wordsOf(stringOf(params.message) ?? '');
  if (params.mode === 'url') return readUrl(params, words);
  if (params.mode !== undefined && params.mode !== 'form') return undefined;
  const schema = objectOf(params.requestedSchema);
  return (
    readChoice(schema, words) ?? {
      question: { kind: 'form', ...words, options: [], schema: { type: 'object', ...schema } },
      about: { type: 'form' },
    }
  );
}

function wordsOf(message: string): Pick<Question, 'title' | 'detail'> {
  const [title = '', ...rest] = message.trim().split('\n');
  const detail = rest.join('\n').trim();
  return { title: title === '' ? 'The agent has a question.' : title, ...(detail === '' ? {} : { detail }) };
}

const OPENED = 'opened';

function readUrl(
  { url, elicitationId }: JsonObject,
  words: Pick<Question, 'title' | 'detail'>,
): Asked | undefined {
  if (typeof url !== 'string') return undefined;
  return {
    question: {
      kind: 'choice',
      title: words.title,
      detail: words.detail === undefined ? url : `${words.detail}\n\n${url}`,
      options: [
        { id: OPENED, label: 'I have opened the page' },
        { id: 'decline', label: 'Do not open it' },
      ],
    },
    about: { type: 'url', elicitationId: stringOf(elicitationId) },
  };
}

/** A form of one field with listed values has a button for each. A second field may take words of the person's own. */
function readChoice(schema: JsonObject, words: Pick<Question, 'title' | 'detail'>): Asked | undefined {
  const [first, second, ...others] = Object.entries(objectOf(schema.properties));
  if (first === undefined || others.length > 0) return undefined;
  const [property, field] = first;
  const own = second?.[0] === `${property}_custom` ? property.concat('_custom') : undefined;
  if (second !== undefined && own === undefined) return undefined;
  const choices = readValues(objectOf(field));
  if (choices.length === 0) return undefined;
  const about = choices.flatMap(({ label, description }) =>
    description === undefined ? [] : [`${label}: ${description}`],
  );
  const detail = [words.detail, about.join('\n')].filter((part) => part !== undefined && part !== '');
  return {
    question: {
      kind: 'choice',
      title: words.title,
      ...(detail.length === 0 ? {} : { detail: detail.join('\n\n') }),
      options: choices.map(({ label }, at) => ({ id: `option-${at + 1}`, label })),
    },
    about: { type: 'choice', property, values: choices.map(({ value }) => value), words: own },
  };
}

interface ListedValue {
  readonly value: string;
  readonly label: string;
  readonly description: string | undefined;
}

function readValues({ type, enum: values, oneOf }: JsonObject): ListedValue[] {
  if (type !== 'string') return [];
  if (Array.isArray(oneOf))
    return listOf(oneOf).flatMap((item) => {
      const { const: value, title, description } = objectOf(item);
      if (typeof value !== 'string') return [];
      return [{ value, label: stringOf(title) ?? value, description: stringOf(description) }];
    });
  return listOf(values).flatMap((value) =>
    typeof value === 'string' ? [{ value, label: value, description: undefined }] : [],
  );
}

/** The result when nobody answers any more. */
export const ELICITATION_CANCELLED: JsonObject = { action: 'cancel' };

/** The result of an `elicitation/create`. */
export function writeElicited({ question, about }: Asked, answer: Answer): JsonObject {
  const accepted = readAccepted(question, about, answer);
  if (accepted !== undefined) return accepted;
  return answer.via === 'person' ? { action: 'decline' } : ELICITATION_CANCELLED;
}

function readAccepted(
  { options, schema }: Question,
  about: OpenAsk['about'],
  { option, text, data, via }: Answer,
): JsonObject | undefined {
  if (about.type === 'url') return option === OPENED ? { action: 'accept' } : undefined;
  if (about.type === 'form') {
    if (!isObject(data)) return undefined;
    return { action: 'accept', content: knownFields(data as JsonObject, objectOf(schema?.properties)) };
  }
  if (about.type !== 'choice') return undefined;
  const value = about.values[options.findIndex(({ id }) => id === option)];
  const own = via === 'person' && about.words !== undefined && text !== undefined && text !== '';
  if (value === undefined && !own) return undefined;
  return {
    action: 'accept',
    content: {
      ...(value === undefined ? {} : { [about.property]: value }),
      ...(own && about.words !== undefined ? { [about.words]: text } : {}),
    },
  };
}

/** A value is text, a number, a switch or a list of texts. */
function knownFields(data: JsonObject, properties: JsonObject): JsonObject {
  const isValue = (value: JsonValue | undefined): boolean =>
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every((item) => typeof item === 'string'));
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) => Object.hasOwn(properties, name) && isValue(value)),
  );
}
