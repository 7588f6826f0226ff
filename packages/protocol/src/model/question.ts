import type { JsonObject, JsonValue } from './json.ts';
import type { FileDiff } from './tool.ts';

/** The effect of an option of a `permission` question. */
export type OptionEffect = 'allow-once' | 'allow-always' | 'deny-once' | 'deny-always';

/** One answer that a person can choose. */
export interface QuestionOption {
  readonly id: string;
  readonly label: string;
  /** Set on the options of a `permission` question. */
  readonly effect?: OptionEffect;
}

/** The tool that an agent asks permission for. */
export interface AskedTool {
  readonly name: string;
  readonly input: JsonValue;
  /** A `ToolKind`, or a word of the agent's own: for icons, never for deciding. */
  readonly kind?: string;
  /** The changes that the tool would make. */
  readonly diffs?: readonly FileDiff[];
  /** The command line that would run, where the tool runs one. */
  readonly command?: string;
}

/** A question of an agent to a person. The agent waits for the answer while its turn runs. */
export interface Question {
  readonly kind: 'permission' | 'choice' | 'text' | 'form';
  /** One line for a person. */
  readonly title: string;
  readonly detail?: string;
  /** Set on a `permission` question. */
  readonly tool?: AskedTool;
  /** Empty for `text` and `form`. */
  readonly options: readonly QuestionOption[];
  /** JSON Schema of `Answer.data`, for a `form`. */
  readonly schema?: JsonObject;
}

/** A decision, and its author in `by` and `via`. */
export interface Answer {
  /** The person, the rule or the program that decided. */
  readonly by: string;
  readonly via: 'person' | 'policy' | 'deadline' | 'withdrawn';
  /** `QuestionOption.id`; an id that the question does not have is a no. */
  readonly option?: string;
  /** The answer to a `text` question; for a permission, the reason that the agent reads. */
  readonly text?: string;
  /** The answer to a `form`. */
  readonly data?: JsonValue;
  /** Replaces the input of the tool. */
  readonly input?: JsonValue;
}

/** Whether an agent may use a tool: the short form of an `Answer` to a `permission` question. */
export interface Permission {
  readonly allowed: boolean;
  /** Why not, in words for the model or the person. */
  readonly reason?: string;
  /** Replacement for the input of the tool. */
  readonly input?: JsonObject;
}

const ALLOW: QuestionOption = { id: 'allow', label: 'Allow', effect: 'allow-once' };
const DENY: QuestionOption = { id: 'deny', label: 'Deny', effect: 'deny-once' };

/** The question of a dialect that knows only yes and no. */
export function permissionQuestion(tool: string, input: JsonObject): Question {
  return {
    kind: 'permission',
    title: `May ${tool} be used?`,
    tool: { name: tool, input },
    options: [ALLOW, DENY],
  };
}

/** Reads an answer as yes or no. Only an option with an `allow` effect is a yes. */
export function permissionOf({ options }: Pick<Question, 'options'>, answer: Answer): Permission {
  const chosen = options.find(({ id }) => id === answer.option);
  const input = answer.input;
  return {
    allowed: chosen?.effect?.startsWith('allow') === true,
    ...(answer.text === undefined ? {} : { reason: answer.text }),
    ...(typeof input === 'object' && input !== null && !Array.isArray(input)
      ? { input: input as JsonObject }
      : {}),
  };
}

/**
 * The answer that says the same as a `Permission`. A question without a fitting option gets an answer without one,
 * which is a no.
 */
export function answerOf(
  { options }: Pick<Question, 'options'>,
  { allowed, reason, input }: Permission,
  origin: Pick<Answer, 'by' | 'via'>,
): Answer {
  const kind = allowed ? 'allow' : 'deny';
  const option = options.find(({ effect }) => effect?.startsWith(kind));
  return {
    ...origin,
    ...(option === undefined ? {} : { option: option.id }),
    ...(reason === undefined ? {} : { text: reason }),
    ...(input === undefined ? {} : { input }),
  };
}
