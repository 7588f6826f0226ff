import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { OptionEffect, Question, QuestionOption } from '../../model/question.ts';
import type { KnownTool } from './host-state.ts';
import { commandOf, toolName } from './host-tools.ts';
import { diffsIn, readKind, readToolContent, textIn } from './tool-content.ts';

/** By kind, in the order in which a question shows its options: a rule that says yes takes the first that allows. */
const EFFECTS: Readonly<Record<string, OptionEffect>> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'deny-once',
  reject_always: 'deny-always',
};

/** The question of a `session/request_permission`. `tool` is what is known of the call. */
export function readPermission(params: JsonObject, tool: KnownTool | undefined): Question {
  const asked = objectOf(params.toolCall);
  const content = readToolContent(asked.content) ?? tool?.content ?? [];
  const kind = readKind(asked.kind) ?? tool?.kind;
  // What is allowed is the question's own input, which may differ from the input of the call.
  const input = asked.rawInput ?? tool?.input ?? {};
  const title = stringOf(asked.title) ?? tool?.title ?? '';
  const name = toolName({ id: tool?.id ?? '', name: tool?.name, kind });
  const command = commandOf(kind, input) ?? (kind === 'execute' && title !== '' ? title : undefined);
  const diffs = diffsIn(content);
  const detail = detailOf(title, textIn(content));
  return {
    kind: 'permission',
    title: titleOf(tool?.name, name, title),
    ...(detail === '' ? {} : { detail }),
    tool: {
      name,
      input,
      ...(kind === undefined ? {} : { kind }),
      ...(diffs.length === 0 ? {} : { diffs }),
      ...(command === undefined ? {} : { command }),
    },
    options: readOptions(params.options),
  };
}

function titleOf(given: string | undefined, name: string, title: string): string {
  const [line = ''] = title.trim().split('\n', 1);
  if (line === '' || line === name) return `May ${name} be used?`;
  return given === undefined ? `May this be done: ${line}?` : `May ${given} be used: ${line}?`;
}

/** What a person needs besides the title: the whole of a title of several lines, and the text of the call. */
function detailOf(title: string, text: string): string {
  const whole = title.trim();
  return [whole.includes('\n') ? whole : '', text.trim()].filter((part) => part !== '').join('\n\n');
}

function readOptions(value: JsonValue | undefined): QuestionOption[] {
  const options = listOf(value).flatMap((item): QuestionOption[] => {
    const { optionId: id, name, kind } = objectOf(item);
    if (typeof id !== 'string') return [];
    const effect = typeof kind === 'string' && Object.hasOwn(EFFECTS, kind) ? EFFECTS[kind] : undefined;
    return [{ id, label: stringOf(name) ?? id, ...(effect === undefined ? {} : { effect }) }];
  });
  const order = [...Object.values(EFFECTS), undefined];
  return options.sort((one, other) => order.indexOf(one.effect) - order.indexOf(other.effect));
}
