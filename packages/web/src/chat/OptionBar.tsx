import type { AgentOption, OptionChoice, OptionValue } from '@plugboard/protocol';
import type { ReactNode } from 'react';
import { markInvisible } from '../text/visible.ts';

interface OptionBarProps {
  readonly options: readonly AgentOption[];
  onChoose(option: string, value: OptionValue): void;
}

/** The settings of the agent: its mode, its model and the like. */
export function OptionBar({ options, onChoose }: OptionBarProps): ReactNode {
  return (
    <fieldset className="option-bar" aria-label="Options of the agent">
      {options.map((option) =>
        option.choices === undefined ? (
          <Switch key={option.id} option={option} onChoose={onChoose} />
        ) : (
          <Choice key={option.id} option={option} choices={option.choices} onChoose={onChoose} />
        ),
      )}
    </fieldset>
  );
}

interface ControlProps {
  readonly option: AgentOption;
  readonly onChoose: OptionBarProps['onChoose'];
}

function Switch({ option, onChoose }: ControlProps): ReactNode {
  return (
    <label className="option" title={option.description}>
      <input
        type="checkbox"
        checked={option.value === true}
        onChange={(event) => onChoose(option.id, event.currentTarget.checked)}
      />
      {markInvisible(option.name)}
    </label>
  );
}

function Choice({
  option,
  choices,
  onChoose,
}: ControlProps & { readonly choices: readonly OptionChoice[] }): ReactNode {
  const { id, name, value, description } = option;
  const known = choices.some((choice) => choice.value === value);
  return (
    <select
      className="option"
      aria-label={markInvisible(name)}
      title={description ?? name}
      value={String(value)}
      onChange={(event) => onChoose(id, event.currentTarget.value)}
    >
      {known ? null : <option value={String(value)}>{markInvisible(String(value))}</option>}
      {groupChoices(choices).map(([group, members]) =>
        group === '' ? (
          members.map(optionOf)
        ) : (
          <optgroup key={group} label={markInvisible(group)}>
            {members.map(optionOf)}
          </optgroup>
        ),
      )}
    </select>
  );
}

function groupChoices(choices: readonly OptionChoice[]): [string, OptionChoice[]][] {
  return [...Map.groupBy(choices, ({ group }) => group ?? '')];
}

function optionOf({ value, name, description }: OptionChoice): ReactNode {
  return (
    <option key={value} value={value} title={description}>
      {markInvisible(name)}
    </option>
  );
}
