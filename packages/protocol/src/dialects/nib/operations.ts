type AnswerKind = 'text' | 'data' | 'files';

/** One thing a nib host can ask for. */
export interface OperationShape {
  /** Over the pipes, with one JSON answer; or on the terminal, which the agent then owns. */
  readonly mode: 'pipe' | 'interactive';
  /**
   * The field that a success carries. An interactive operation has an answer only when it is asked for over the pipes.
   */
  readonly answer: AnswerKind;
  /** Fields the request carries beside `operation`. */
  readonly fields: readonly string[];
}

/** The fields of a request, in the order in which they are written. */
export const FIELD_ORDER = [
  'operation',
  'dir',
  'paths',
  'character_slug',
  'question',
  'range',
  'context',
  'schema',
  'session',
  'project_name',
  'effort',
] as const;

const proof: OperationShape = { mode: 'pipe', answer: 'text', fields: ['dir', 'paths'] };
const critique: OperationShape = { mode: 'interactive', answer: 'text', fields: ['dir', 'paths'] };

/** Every operation of the specification, and the newer `manuscript-*` operations, which some hosts already send. */
export const OPERATIONS: Readonly<Record<string, OperationShape>> = {
  'scene-proof': proof,
  'chapter-proof': proof,
  'scene-critique': critique,
  'chapter-critique': critique,
  'manuscript-critique': critique,
  'voice-check': { mode: 'pipe', answer: 'text', fields: ['dir', 'paths', 'character_slug'] },
  'continuity-check': { mode: 'pipe', answer: 'text', fields: ['dir', 'paths'] },
  'continuity-ask': { mode: 'pipe', answer: 'text', fields: ['dir', 'question', 'range'] },
  'continuity-index': { mode: 'pipe', answer: 'data', fields: ['dir', 'context', 'schema'] },
  'character-talk': { mode: 'interactive', answer: 'text', fields: ['dir', 'context', 'session'] },
  'project-scaffold': { mode: 'pipe', answer: 'files', fields: ['dir', 'project_name'] },
  'manuscript-search': { mode: 'pipe', answer: 'text', fields: ['dir', 'paths', 'question'] },
};

const UNKNOWN: OperationShape = { mode: 'pipe', answer: 'text', fields: ['dir'] };

/** The shape of an operation. An unknown name is treated as `UNKNOWN`: a pipe operation that answers in text. */
export function operationNamed(name: string): OperationShape {
  return (Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined) ?? UNKNOWN;
}

/** The operations that a nib host may ask for, as far as they are known. */
export const OPERATION_NAMES: readonly string[] = Object.keys(OPERATIONS);
