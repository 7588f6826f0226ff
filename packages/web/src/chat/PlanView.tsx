import type { PlanPart } from '@plugboard/client';
import type { PlanStep } from '@plugboard/protocol';
import type { ReactNode } from 'react';
import { markInvisible } from '../text/visible.ts';

const MARKS = { pending: '☐', running: '▸', done: '☑' } as const;
const WORDS = { pending: 'to do', running: 'in progress', done: 'done' } as const;

/** The plan of a turn as a checklist. */
export function PlanView({ part }: { readonly part: PlanPart }): ReactNode {
  const done = part.steps.filter(({ status }) => status === 'done').length;
  return (
    <section className="plan" aria-label="Plan">
      <p className="plan-head muted">
        Plan: {done} of {part.steps.length} done
      </p>
      <ol>
        {numberSteps(part.steps).map(({ key, step }) => (
          <li key={key} className={step.status}>
            <span aria-hidden="true">{MARKS[step.status]}</span>
            <span className="sr-only">{WORDS[step.status]}: </span>
            <span className="plan-text">{markInvisible(step.text)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function numberSteps(steps: readonly PlanStep[]): { key: string; step: PlanStep }[] {
  return steps.map((step, index) => ({ key: String(index), step }));
}
