import type { ReactNode } from 'react';
import { markInvisible } from '../text/visible.ts';
import type { Command } from './commands.ts';

interface SuggestionsProps {
  readonly commands: readonly Command[];
  readonly chosen: number;
  onPick(command: Command): void;
}

export const SUGGESTIONS_ID = 'commands';
export const suggestionId = (index: number): string => `command-${index}`;

/**
 * The list of commands above the composer. The focus stays in the text field; `aria-activedescendant` names the chosen
 * option.
 */
export function Suggestions({ commands, chosen, onPick }: SuggestionsProps): ReactNode {
  return (
    <div className="suggestions" id={SUGGESTIONS_ID} role="listbox" aria-label="Commands">
      {commands.map((command, index) => (
        <div
          key={command.name}
          id={suggestionId(index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          className="suggestion"
          // Without `preventDefault` the pointer would take the focus from the text field.
          onPointerDown={(event) => {
            event.preventDefault();
            onPick(command);
          }}
        >
          <code>
            {markInvisible(command.name)} <span className="muted">{markInvisible(command.argument)}</span>
          </code>
          <span className="muted">{markInvisible(command.about)}</span>
        </div>
      ))}
    </div>
  );
}
