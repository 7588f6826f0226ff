import { createFailure, createSkip, createVerdict, type Expectation, PASS, type Verdict } from '../case.ts';
import type { HostSight } from './host-case.ts';
import type { Recording } from './script.ts';

function describeOutcome({ ending, told }: HostSight): string {
  return `exit code ${ending.exitCode}: ${told.trim()}`;
}

/** The host exits within `timeoutMs`. */
export const finishes: Expectation<HostSight> = {
  name: 'finishes',
  look: (sight) =>
    createVerdict(
      !sight.overdue,
      'the host to finish the turn',
      `it was still at it after ${Math.round(sight.durationMs)} ms; ${sight.told.trim()}`,
    ),
};

/** The agent process is not alive after the host has exited. */
export const endsAgent: Expectation<HostSight> = {
  name: 'ends the agent',
  look: ({ agentLeft }) =>
    createVerdict(!agentLeft, 'the agent to end with its turn', 'it was still running'),
};

export const succeeds: Expectation<HostSight> = {
  name: 'succeeds',
  look: (sight) =>
    createVerdict(sight.ending.exitCode === 0, 'the host to exit with 0', describeOutcome(sight)),
};

/** The host writes a message to stdout or stderr. */
export const saysSomething: Expectation<HostSight> = {
  name: 'says something',
  look: (sight) =>
    createVerdict(sight.told.trim() !== '', 'a sentence about what happened', describeOutcome(sight)),
};

/** `text` is on stdout at least `gapMs` before `later`. */
export function showsEarly(text: string, later: string, gapMs: number): Expectation<HostSight> {
  return {
    name: 'shows at once',
    look(sight) {
      const [first, second] = [text, later].map((part) => shownAt(sight, part));
      if (first === undefined && second === undefined) return createSkip('it shows no pieces of an answer');
      if (first === undefined || second === undefined)
        return createFailure(`the user to see ${text}, then ${later}`, describeOutcome(sight));
      return createVerdict(
        second - first >= gapMs,
        `${text} to be shown at once`,
        `${Math.round(second - first)} ms before ${later}`,
      );
    },
  };
}

function shownAt({ stdout, pieces }: HostSight, text: string): number | undefined {
  const end = stdout.indexOf(text) + text.length;
  return stdout.includes(text) ? pieces.find(({ chars }) => chars >= end)?.at : undefined;
}

/** Stdout has all `texts`, in this order. */
export function showsTexts(...texts: readonly string[]): Expectation<HostSight> {
  return {
    name: 'shows',
    look(sight) {
      let from = 0;
      for (const text of texts) {
        const at = sight.stdout.indexOf(text, from);
        if (at === -1)
          return createFailure(
            `the user to see ${JSON.stringify(text.slice(0, 80))}${from === 0 ? '' : ' after what came before it'}`,
            describeOutcome(sight),
          );
        from = at + text.length;
      }
      return PASS;
    },
  };
}

export function showsOnce(text: string): Expectation<HostSight> {
  return {
    name: 'shows once',
    look(sight) {
      const times = sight.stdout.split(text).length - 1;
      return createVerdict(
        times === 1,
        `the user to see ${JSON.stringify(text)} once`,
        `${times} times; ${describeOutcome(sight)}`,
      );
    },
  };
}

export function showsAtMostOnce(text: string): Expectation<HostSight> {
  return {
    name: 'shows at most once',
    look(sight) {
      const times = sight.stdout.split(text).length - 1;
      return createVerdict(
        times <= 1,
        `the user to see ${JSON.stringify(text)} once`,
        `${times} times; ${describeOutcome(sight)}`,
      );
    },
  };
}

/** Stdout or stderr has all `texts`. */
export function tellsTexts(...texts: readonly string[]): Expectation<HostSight> {
  return {
    name: 'tells',
    look(sight) {
      const missing = texts.find((text) => !sight.told.includes(text));
      return missing === undefined
        ? PASS
        : createFailure(`the user to be told ${JSON.stringify(missing)}`, describeOutcome(sight));
    },
  };
}

/** Stdout does not have `text`. */
export function hidesText(text: string): Expectation<HostSight> {
  return {
    name: 'hides',
    look: (sight) =>
      createVerdict(
        !sight.stdout.includes(text),
        `the user not to see ${JSON.stringify(text)}`,
        describeOutcome(sight),
      ),
  };
}

/** Creates an expectation about the `Recording` of the agent; it fails if the host never started the agent. */
export function expectRecording(
  name: string,
  look: (agent: Recording, sight: HostSight) => Verdict,
): Expectation<HostSight> {
  return {
    name,
    look: (sight) =>
      sight.agent === undefined
        ? createFailure('the host to start the agent', describeOutcome(sight))
        : look(sight.agent, sight),
  };
}

/** Stdin of the agent is closed: agents that read to the end of input wait for that. */
export const closesInput: Expectation<HostSight> = expectRecording('closes stdin', (agent) =>
  createVerdict(
    agent.stdinClosed,
    'stdin of the agent to be closed',
    'it was still open when the agent had answered',
  ),
);
