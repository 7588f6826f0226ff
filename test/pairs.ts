import type { Capabilities } from '@plugboard/protocol';

/** What a host that speaks one dialect may see of an agent that speaks another, beside text, sessions, errors and cancelling. */
export interface Carried {
  readonly streaming: boolean;
  readonly thoughts: boolean;
  readonly progress: boolean;
  readonly tools: boolean;
  readonly media: boolean;
  readonly questions: boolean;
  readonly options: boolean;
}

/** What passes from an agent (`behind`) to a host (`front`): what both capability tables have a form for. */
export function carriedBetween(front: Capabilities, behind: Capabilities): Carried {
  const both = (has: (of: Capabilities) => boolean): boolean => has(front) && has(behind);
  return {
    streaming: both(({ events }) => events.delta === 'said'),
    thoughts: both(({ events }) => events.thinking === 'said'),
    progress: both(({ events }) => events.progress === 'said'),
    tools: both(({ events }) => events['tool-call'] === 'said'),
    media: both(({ media }) => media),
    questions: both(({ questions }) => questions !== 'none'),
    options: both(({ options }) => options),
  };
}
