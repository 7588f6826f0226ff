import { demand, type Expectation, fail, PASS, skip, type Verdict } from '../case.ts';
import type { HostSight } from './host-case.ts';
import type { Recording } from './script.ts';

function outcome({ ending, told }: HostSight): string {
  return `exit code ${ending.exitCode}: ${told.trim()}`;
}

/** The host ends the turn in time. */
export const finishes: Expectation<HostSight> = {
  name: 'finishes',
  look: (sight) =>
    demand(
      !sight.overdue,
      'the host to finish the turn',
      `it was still at it after ${Math.round(sight.durationMs)} ms; ${sight.told.trim()}`,
    ),
};

/** The agent does not run on without its host. */
export const endsAgent: Expectation<HostSight> = {
  name: 'ends the agent',
  look: ({ agentLeft }) => demand(!agentLeft, 'the agent to end with its turn', 'it was still running'),
};

/** The host does not take the turn for a failure. */
export const succeeds: Expectation<HostSight> = {
  name: 'succeeds',
  look: (sight) => demand(sight.ending.exitCode === 0, 'the host to exit with 0', outcome(sight)),
};

/** The user is not left without a word. */
export const saysSomething: Expectation<HostSight> = {
  name: 'says something',
  look: (sight) => demand(sight.told.trim() !== '', 'a sentence about what happened', outcome(sight)),
};

/** One text is shown while the agent still works on another, `gapMs` before it. */
export function showsEarly(text: string, later: string, gapMs: number): Expectation<HostSight> {
  return {
    name: 'shows at once',
    look(sight) {
      const [first, second] = [text, later].map((part) => shownAt(sight, part));
      if (first === undefined && second === undefined) return skip('it shows no pieces of an answer');
      if (first === undefined || second === undefined)
        return fail(`the user to see ${text}, then ${later}`, outcome(sight));
      return demand(
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

/** The user sees these texts, in this order. */
export function shows(...texts: readonly string[]): Expectation<HostSight> {
  return {
    name: 'shows',
    look(sight) {
      let from = 0;
      for (const text of texts) {
        const at = sight.stdout.indexOf(text, from);
        if (at === -1)
          return fail(
            `the user to see ${JSON.stringify(text.slice(0, 80))}${from === 0 ? '' : ' after what came before it'}`,
            outcome(sight),
          );
        from = at + text.length;
      }
      return PASS;
    },
  };
}

/** The user sees this text once: neither never nor twice. */
export function showsOnce(text: string): Expectation<HostSight> {
  return {
    name: 'shows once',
    look(sight) {
      const times = sight.stdout.split(text).length - 1;
      return demand(
        times === 1,
        `the user to see ${JSON.stringify(text)} once`,
        `${times} times; ${outcome(sight)}`,
      );
    },
  };
}

/** The user does not see this text twice. */
export function showsAtMostOnce(text: string): Expectation<HostSight> {
  return {
    name: 'shows at most once',
    look(sight) {
      const times = sight.stdout.split(text).length - 1;
      return demand(
        times <= 1,
        `the user to see ${JSON.stringify(text)} once`,
        `${times} times; ${outcome(sight)}`,
      );
    },
  };
}

/** The user is told this, on whichever stream the host has for it. */
export function tells(...texts: readonly string[]): Expectation<HostSight> {
  return {
    name: 'tells',
    look(sight) {
      const missing = texts.find((text) => !sight.told.includes(text));
      return missing === undefined
        ? PASS
        : fail(`the user to be told ${JSON.stringify(missing)}`, outcome(sight));
    },
  };
}

/** The user does not see this. */
export function hides(text: string): Expectation<HostSight> {
  return {
    name: 'hides',
    look: (sight) =>
      demand(!sight.stdout.includes(text), `the user not to see ${JSON.stringify(text)}`, outcome(sight)),
  };
}

/** Looks at what the agent was given. */
export function gives(
  name: string,
  look: (agent: Recording, sight: HostSight) => Verdict,
): Expectation<HostSight> {
  return {
    name,
    look: (sight) =>
      sight.agent === undefined
        ? fail('the host to start the agent', outcome(sight))
        : look(sight.agent, sight),
  };
}

/** Input ends, so that an agent that reads to its end can begin. */
export const closesInput: Expectation<HostSight> = gives('closes stdin', (agent) =>
  demand(
    agent.stdinClosed,
    'stdin of the agent to be closed',
    'it was still open when the agent had answered',
  ),
);
