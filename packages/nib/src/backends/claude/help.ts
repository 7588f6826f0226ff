export const HELP = `nib-agent-claude: nib's backend for Claude Code.

nib starts it when no other agent is chosen. It needs the program claude, installed and logged in:
npm install -g @anthropic-ai/claude-code

  --check     try whether claude is there and answers
  --version   print the version
  --help      print this

  NIB_CLAUDE_COMMAND   where claude is, when it is not on the PATH
`;
