import {
  type AgentCommand,
  type AgentOption,
  type Event,
  type OptionValue,
  optionProblem,
  withChosen,
} from '@plugboard/protocol';

/** What the agent offers, and what the person has chosen. */
export interface Offer {
  options: readonly AgentOption[];
  commands: readonly AgentCommand[];
  chosen: Readonly<Record<string, OptionValue>>;
}

export function createOffer(): Offer {
  return { options: [], commands: [], chosen: {} };
}

export function noteOffer(offer: Offer, event: Event): void {
  if (event.type !== 'options') return;
  offer.options = event.options ?? offer.options;
  offer.commands = event.commands ?? offer.commands;
}

/** One line for each option, with its value and the values that it can have, and one for each command. */
export function offerText({ options, commands, chosen }: Offer): string {
  const lines = [
    ...withChosen(options, chosen).map(({ id, name, value, choices }) => {
      const values = choices?.map((choice) => choice.value) ?? ['true', 'false'];
      return `${id} = ${value}   (${name}: ${values.join(', ')})`;
    }),
    ...commands.map(({ name, description, hint }) =>
      [`/${name}`, hint, description].filter((part) => part !== undefined && part !== '').join('  '),
    ),
  ];
  return lines.length === 0 ? 'The agent has offered nothing to set.' : lines.join('\n');
}

/** Sets an option from the next message on. Returns the sentence for the person. */
export function chooseOption(offer: Offer, id: string, typed: string): string {
  const option = offer.options.find((one) => one.id === id);
  const value = option?.choices === undefined ? readSwitch(typed) : typed;
  const problem = optionProblem(offer.options, id, value);
  if (problem !== undefined) return problem;
  offer.chosen = { ...offer.chosen, [id]: value };
  return `${id} is ${value} from the next message on.`;
}

function readSwitch(typed: string): OptionValue {
  if (typed === 'true' || typed === 'on') return true;
  return typed === 'false' || typed === 'off' ? false : typed;
}
