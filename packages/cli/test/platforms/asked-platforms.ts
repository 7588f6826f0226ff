import {
  type FakePlatform,
  onTestEnd,
  startFakeDiscord,
  startFakeSlack,
  startFakeTelegram,
} from '@plugboard/testkit';

/** A platform on which a person presses buttons, and what it then shows to that person alone. */
export interface AskedPlatform {
  readonly fake: FakePlatform;
  /** Error texts of presses and forms, oldest first. */
  told(): readonly string[];
}

/** A platform that asks for a text by a form. */
export interface FormPlatform extends AskedPlatform {
  /** Opens the form of a question for a text. */
  openForm(platformId: string): void;
  isFormOpen(): boolean;
  /** Sends the form that was opened last. */
  submit(text: string): void;
}

/** The gateway starts anew between a press and its answer, for which a loaded machine needs longer than a platform waits. */
const START_MS = 120_000;

export const FORM_PLATFORMS = { slack: askOnSlack, discord: askOnDiscord } as const;
export const ASKED_PLATFORMS = { ...FORM_PLATFORMS, telegram: askOnTelegram } as const;

async function askOnTelegram(): Promise<AskedPlatform> {
  const fake = await startFakeTelegram({ pressMs: START_MS });
  onTestEnd(() => fake[Symbol.asyncDispose]());
  return { fake, told: () => fake.world.answers.filter(({ alert }) => alert).map(({ text }) => text) };
}

async function askOnSlack(): Promise<FormPlatform> {
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

async function askOnDiscord(): Promise<FormPlatform> {
  const fake = await startFakeDiscord({ interactionMs: START_MS });
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
