export const HELP = `nib-agent-local: nib's backend for models on your own machine, or behind any OpenAI-compatible server.

nib starts it: NIB_AGENT=local nib ct ask "Who has the key?", or for good: git config nib.agent local

  --check     try whether the server and the model are there
  --version   print the version
  --help      print this

Settings, each by a variable or in git's configuration:
  NIB_LOCAL_ENDPOINT     nib.agents.local.endpoint     http://localhost:1234/v1
  NIB_LOCAL_MODEL        nib.agents.local.model        qwen3-30b-a3b
  NIB_LOCAL_API_KEY      nib.agents.local.api-key      none
  NIB_LOCAL_NO_THINK     nib.agents.local.no-think     true
  NIB_LOCAL_MAX_TOKENS   nib.agents.local.max-tokens   4096, of one answer
  NIB_LOCAL_MAX_CALLS    nib.agents.local.max-calls    20, in one operation
`;
