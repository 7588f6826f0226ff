/** The value of an option: the `value` of a choice, or a switch. */
export type OptionValue = string | boolean;

/** One value that an option can have. */
export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
  /** Heading under which a list shows it. */
  readonly group?: string;
}

/** A setting of the agent for one session, which a person may change (`SessionRef.options`). */
export interface AgentOption {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** `mode`, `model`, `effort` and the like: where a host shows it. */
  readonly category?: string;
  readonly value: OptionValue;
  /** Absent for a switch, whose `value` is a boolean. */
  readonly choices?: readonly OptionChoice[];
}

/** A command that the agent understands: `/name …` at the beginning of a message. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** What follows the name. */
  readonly hint?: string;
}

/** The options with the values of `chosen`. A chosen value that an option does not have is left out. */
export function withChosen(
  options: readonly AgentOption[],
  chosen: Readonly<Record<string, OptionValue>>,
): readonly AgentOption[] {
  return options.map((option) => {
    const value = chosen[option.id];
    return value === undefined || !hasValue(option, value) ? option : { ...option, value };
  });
}

/** Why an option cannot have a value, in words for a person; undefined where it can. */
export function optionProblem(
  options: readonly AgentOption[],
  id: string,
  value: OptionValue,
): string | undefined {
  const option = options.find((one) => one.id === id);
  if (option === undefined)
    return `There is no option ${quote(id)}.${list(
      'There are',
      options.map((one) => one.id),
    )}`;
  if (hasValue(option, value)) return undefined;
  const values = option.choices?.map((choice) => choice.value) ?? ['true', 'false'];
  return `${quote(id)} cannot be ${quote(String(value))}.${list('It can be', values)}`;
}

function hasValue({ choices }: AgentOption, value: OptionValue): boolean {
  if (choices === undefined) return typeof value === 'boolean';
  return choices.some((choice) => choice.value === value);
}

/** More names than this are not listed in a sentence. */
const MOST_LISTED = 40;

function list(words: string, names: readonly string[]): string {
  if (names.length === 0) return ' The agent has offered none.';
  const more = names.length > MOST_LISTED ? `, and ${names.length - MOST_LISTED} more` : '';
  return ` ${words}: ${names.slice(0, MOST_LISTED).join(', ')}${more}.`;
}

function quote(text: string): string {
  return `"${text.slice(0, 60)}"`;
}
