/** `ChannelKind.personProblem` of platforms whose ids never begin with "@". */
export function personProblem(id: string): string | undefined {
  return id.startsWith('@')
    ? `"${id}" is a name, and names can be taken by others: give the id, which plugboard channel people lists once the person has written to the bot.`
    : undefined;
}
