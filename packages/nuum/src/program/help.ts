export const HELP = `nuum: a resident coding agent with a memory.

  nuum                      talk to it in the terminal
  nuum -p "TEXT"            one answer on stdout; --format json for all about it
  nuum --stdio              serve a host in Nuum's wire protocol
  nuum --inspect            what the memory holds
  nuum memory show          the same, with knowledge and summaries
  nuum memory search WORDS  find what was ever said
  nuum memory export        everything, as NDJSON (-o FILE)
  nuum memory accept SLUG   let a proposal for "identity" or "behaviour" stand in every prompt (reject SLUG: lay it aside)
  nuum memory forget WHAT   a message (123), a range (100-120), knowledge (slug) or every message with a text ("text:…")

Started by a host of another kind (a nib host, AgentProc, nanobot's terminal channel) it answers in that one's protocol.

  --db FILE         the memory: ./agent.db if it exists, else nuum/agent.db in the data directory
  -m, --model NAME  anthropic:NAME, openai:NAME or script:FILE (NUUM_MODEL)
  -C DIR            the working directory
  --allow, --ask, --deny TOOL[:PATTERN]
                    what may be done: "bash:ls *", "write:src/**"; deny beats ask beats allow
  --allow-host HOST a private host that web_fetch may reach
  --config FILE     instead of nuum/config.yaml in the configuration directory
  -q, --quiet       no notices on stderr
  -y, --yes         do not ask back
  -V, --version     -h, --help

Variables: NUUM_MODEL, NUUM_BASE_URL, NUUM_API_KEY (or ANTHROPIC_API_KEY, OPENAI_API_KEY), NUUM_DB.
`;
