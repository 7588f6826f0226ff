import { type FakePlatform, onTestEnd, startFakeDiscord, startFakeSlack } from '@plugboard/testkit';

/** A platform on which a person presses buttons and sends forms, and what it then shows to that person alone. */
export interface AskedPlatform {
  readonly fake: FakePlatform;
  /** Error texts of a press or a form, oldest first. */
  told(): readonly string[];
  /** Opens the form of a question for a text. */
  openForm(platformId: string): void;
  isFormOpen(): boolean;
  /** Sends the form that was opened last. */
  submit(text: string): void;
}

export const ASKED_PLATFORMS = { slack: askOnSlack, discord: askOnDiscord } as const;

async function askOnSlack(): Promise<AskedPlatform> {
  const fake = await startFakeSlack();
  onTestEnd(() => fake[Symbol.asyncDispose]());
  return {
    fake,
    told: () => [...fake.ephemerals.map(({ text }) => text), ...fake.envelopes.flatMap(formErrors)],
    openForm: (platformId) => fake.press(platformId, 'Answer'),
    isFormOpen: () => fake.views.length > 0,
    submit(text) {
      const view = fake.views.at(-1);
      if (view === undefined) throw new Error('There is no form.');
      void fake.submit(view, text);
    },
  };
}

/** `response_action: errors` of an acknowledgement. */
function formErrors({ answer }: { readonly answer?: unknown }): string[] {
  const { errors = {} } = (answer ?? {}) as { readonly errors?: Readonly<Record<string, string>> };
  return Object.values(errors);
}

async function askOnDiscord(): Promise<AskedPlatform> {
  // The gateway starts anew between a press and its answer, for which a loaded machine needs more than 3 s.
  const fake = await startFakeDiscord({ interactionMs: 120_000 });
  onTestEnd(() => fake[Symbol.asyncDispose]());
  const interactions = () => [...fake.world.interactions.values()];
  const opened = () => interactions().findLast(({ answer }) => answer?.type === 9);
  return {
    fake,
    told: () => interactions().flatMap(({ whispers }) => whispers),
    openForm: (platformId) => void fake.press(platformId, 'Answer'),
    isFormOpen: () => opened() !== undefined,
    submit(text) {
      const form = opened();
      if (form === undefined) throw new Error('There is no form.');
      fake.submit(form, text);
    },
  };
}
