import type { ReactNode } from 'react';
import type { Command } from './commands.ts';

interface SuggestionsProps {
  readonly commands: readonly Command[];
  readonly chosen: number;
  onPick(command: Command): void;
}

export const SUGGESTIONS_ID = 'commands';
export const suggestionId = (index: number): string => `command-${index}`;

/** The list above the composer. The focus stays in the text, which says by `aria-activedescendant` what is chosen. */
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
          // The pointer must not take the focus from the text.
          onPointerDown={(event) => {
            event.preventDefault();
            onPick(command);
          }}
        >
          <code>
            {command.name} <span className="muted">{command.argument}</span>
          </code>
          <span className="muted">{command.about}</span>
        </div>
      ))}
    </div>
  );
}
