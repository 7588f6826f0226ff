# shellcheck shell=sh
# Write an agent as one shell function; it answers in whichever dialect its host speaks. POSIX sh and awk, nothing else.
#
#   answer() { printf 'You said: %s' "$TURN_TEXT"; }
#   . ./plugboard_agent.sh
#
# What `answer` prints is the reply; line ends after it are dropped. It finds
#
#   TURN_TEXT        what was said
#   TURN_SESSION     the id that `session` gave in an earlier turn; where a host keeps none, its own name for the session
#   TURN_KEY         the name of the conversation: one of its own where the host has none for it
#   TURN_LASTS       how long TURN_KEY is valid: `turn`, `process`, or empty for ever
#   TURN_OPERATION   what a nib host asks for; empty with other hosts
#
# and may call
#
#   progress TEXT    a status line that is not part of the reply
#   say TEXT         a complete message; a Terminal host gets it at once, others with the reply, a blank line between
#   session ID       the id under which you remember this conversation
#   fail TEXT        ends the turn as failed, with a sentence for the user
#
# A status other than 0 also fails the turn. stdin is empty inside `answer`: it belongs to the protocol. A Nuum host is
# answered line by line, so one that interrupts is heard only between turns.

PB_NL='
'
PB_US=$(printf '\037')
PB_MARK=$(printf '\357\273\277')

# ── JSON ────────────────────────────────────────────────────────────────────────────────────────────────────

# Reads one JSON object; writes a shell assignment for each field in `wanted`. Fails when it is not a whole object.
# Splitting at quotes and at backslashes keeps the time linear, however long a text is. Bytes, not characters.
PB_READ='
function structure(text,   i, c, literal) {
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c == "{" || c == "[") { kind[++depth] = c; key[depth] = c == "[" ? "#" : ""; naming = c == "{" }
    else if (c == "}" || c == "]") { if (--depth <= 0) ended++; naming = 0 }
    else if (c == ",") naming = kind[depth] == "{"
    else if (c !~ /[: \t\r\n]/) {
      match(substr(text, i), /^[^],:}{[ \t\r\n]*/)
      literal[1] = substr(text, i, RLENGTH); value(literal, 1, 1); i += RLENGTH - 1
    }
  }
}
function value(part, from, to,   path, i, name) {
  if (depth == 0) broken = 1
  for (i = 1; i <= depth; i++) path = path "." key[i]
  if (!(path in wanted)) return
  name = wanted[path]
  print name "=" (path ~ /#/ ? "\"${" name ":+$" name "$PB_NL}\"" : "") "\047"
  for (i = from; i < to; i++) { decode(substr(part[i], 1, length(part[i]) - 1)); print "\"" }
  decode(part[to])
  print "\047\n"
}
function quoted(text,   part, n, i) {
  n = split(text, part, /\047/)
  for (i = 1; i <= n; i++) print (i > 1 ? "\047\\\047\047" : "") part[i]
}
function decode(raw,   part, n, i, c, code, rest) {
  n = split(raw, part, /\\/)
  quoted(part[1])
  for (i = 2; i <= n; i++) {
    c = substr(part[i], 1, 1)
    if (c == "") { print "\\"; quoted(part[++i]); continue }
    rest = substr(part[i], 2)
    if (c == "u") {
      code = hex(rest); rest = substr(rest, 5)
      if (code >= 55296 && code < 56320 && rest == "" && part[i + 1] ~ /^u[dD][c-fC-F]/) {
        code = 65536 + (code - 55296) * 1024 + hex(substr(part[++i], 2)) - 56320
        rest = substr(part[i], 6)
      }
      print utf8(code)
    } else if (c == "\047") quoted(c)
    else print (c in plain) ? plain[c] : c
    quoted(rest)
  }
}
function hex(text,   i, n) {
  for (i = 1; i <= 4; i++) n = n * 16 + index("123456789abcdef", tolower(substr(text, i, 1)))
  return n
}
function utf8(n) {
  if (n == 0 || n >= 55296 && n < 57344) n = 65533
  if (n == 39) return "\047\\\047\047"
  if (n < 128) return sprintf("%c", n)
  if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
  if (n < 65536) return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
  return sprintf("%c%c%c%c", 240 + int(n / 262144), 128 + int(n / 4096) % 64, 128 + int(n / 64) % 64, 128 + n % 64)
}
BEGIN {
  ORS = ""
  plain["n"] = "\n"; plain["t"] = "\t"; plain["r"] = "\r"; plain["b"] = "\b"; plain["f"] = "\f"
  n = split("type operation message text version action question context session_id session_key channel chat_id dir", names, " ")
  for (i = 1; i <= n; i++) wanted["." names[i]] = "J_" names[i]
  wanted[".session.id"] = "J_session"
  wanted[".paths.#"] = "J_paths"
  wanted[".message.role"] = "J_role"
  wanted[".message.content"] = "J_content"
  wanted[".message.content.#.text"] = "J_content"
  for (path in wanted) print wanted[path] "=\n"
}
{ text = text (NR > 1 ? "\n" : "") $0 }
END {
  if (text !~ /^[ \t\r\n]*[{]/) exit 1
  n = split(text, part, /"/)
  for (i = 1; i <= n; i++) {
    structure(part[i])
    if (i == n) break
    from = ++i
    while (match(part[i], /\\+$/) && RLENGTH % 2 && i < n) i++
    if (naming) { key[depth] = from == i ? part[i] : "?"; naming = 0 } else value(part, from, i)
    if (i == n) broken = 1
  }
  exit broken || depth != 0 || ended != 1
}'

# Writes its input, less the last line end, as a JSON string.
PB_WRITE='
BEGIN { ORS = ""; print "\""; for (i = 1; i < 32; i++) short[sprintf("%c", i)] = sprintf("\\u%04x", i) }
{
  if (NR > 1) print "\\n"
  gsub(/\\/, "&&")
  n = split($0, part, /"/)
  for (i = 1; i <= n; i++) {
    if (i > 1) print "\\\""
    if (part[i] !~ /[\001-\037]/) print part[i]
    else for (at = 1; at <= length(part[i]); at++) {
      c = substr(part[i], at, 1)
      print (c in short) ? short[c] : c
    }
  }
}
END { print "\"" }'

pb_parse() {
    PB_CODE=$(printf '%s\n' "${1#"$PB_MARK"}" | LC_ALL=C awk "$PB_READ") && eval "$PB_CODE"
}

pb_json() {
    printf '%s\n' "$1" | LC_ALL=C awk "$PB_WRITE"
}

# A frame with one text in it: what stands before the text, the text, what stands after it.
pb_frame() {
    printf '%s%s%s\n' "$1" "$(pb_json "$2")" "$3" >&3
}

# ── What an answer may say ──────────────────────────────────────────────────────────────────────────────────

# Only who types is told on stdout how the work goes: what is piped on is the answer alone.
progress() {
    case $PB_DIALECT/$PB_TYPED in
    terminal/*) pb_frame '{"type":"progress","text":' "$1" '}' ;;
    nuum/*) pb_frame '{"type":"system","subtype":"progress","message":' "$1" ",\"session_id\":\"$PB_SESSION\"}" ;;
    plain/yes) printf '… %s\n' "$1" >&3 ;;
    *) printf '%s\n' "$1" >&2 ;;
    esac
}

say() {
    case $PB_DIALECT in
    terminal) pb_frame '{"type":"message","text":' "$1" '}' ;;
    *) printf '%s\n\n' "$1" ;;
    esac
}

# A host that has no form for it is told nothing; the conversation of a resident agent has a name of its own.
session() {
    case $PB_DIALECT in agentproc | agentproc/v4) ;; *) return 0 ;; esac
    case $1 in
    '' | . | .. | *[!A-Za-z0-9._-]*) printf 'A session id is made of letters, digits, ".", "_" and "-": %s\n' "$1" >&2 ;;
    *)
        PB_SESSION=$1
        if [ "$PB_DIALECT" = agentproc ]; then printf 'AGENT_SESSION:%s\n' "$1" >&3; fi
        ;;
    esac
}

fail() {
    pb_error "$1"
    exit 99
}

# ── How a turn is answered ──────────────────────────────────────────────────────────────────────────────────

# Runs `answer` in a subshell, which hands over the session id behind its output. These two ways of cutting a string
# are linear in both dash and bash; most others are not.
pb_turn() {
    PB_RUNNING=answer PB_STATUS=0 PB_STARTED=$(date +%s)
    pb_answer_beside
    PB_RUNNING=result
    case $PB_BODY in
    *"$PB_US"*)
        PB_SESSION=${PB_BODY##*"$PB_US"}
        PB_BODY=${PB_BODY%"$PB_US"*}
        ;;
    esac
    PB_BODY=$(printf '%s' "$PB_BODY")
    case $PB_STATUS in
    0) pb_finish ;;
    99) ;;
    *) pb_error "The agent ended with status $PB_STATUS." ;;
    esac
    PB_RUNNING=''
    [ -z "$PB_EXIT" ] || exit "$PB_EXIT"
    [ "$PB_STATUS" = 0 ]
}

pb_answer() {
    answer </dev/null
    PB_STATUS=$?
    printf '%s%s' "$PB_US" "$PB_SESSION"
    exit "$PB_STATUS"
}

# A shell heeds a signal while it waits for what runs beside it, and not before the end of what it runs itself. What is
# said goes through a file, which has lost its name before anything is in it.
pb_answer_beside() {
    PB_FILE=${TMPDIR:-/tmp}/plugboard_$(pb_random)
    # Only one that is new: others may write to that directory, too.
    if ! (umask 077 && set -C && : >"$PB_FILE"); then PB_BODY='' PB_STATUS=73 && return; fi
    exec 4>"$PB_FILE" 5<"$PB_FILE"
    rm -f "$PB_FILE"
    PB_FILE=''
    pb_answer >&4 4>&- 5<&- &
    PB_CHILD=$!
    wait "$PB_CHILD" || PB_STATUS=$?
    PB_CHILD=''
    PB_BODY=$(cat <&5)
    exec 4>&- 5<&-
}

pb_random() {
    od -An -N10 -tx1 /dev/urandom | tr -d ' \n'
}

# A result that is on its way is said to its end.
pb_terminate() {
    if [ "$PB_RUNNING" = result ]; then PB_EXIT=$1 && return; fi
    trap '' TERM INT
    [ -z "$PB_FILE" ] || rm -f "$PB_FILE"
    [ -z "$PB_CHILD" ] || pb_end_child
    [ -z "$PB_RUNNING" ] || pb_cancel
    exit "$1"
}

# With all that it has started: what runs beside ignores Ctrl-C. One that has just begun may not have heard the signal.
pb_end_child() {
    PB_ALL=$(ps -e -o pid= -o ppid= 2>/dev/null | awk -v top="$PB_CHILD" '
        { parent[$1] = $2 }
        END { for (pid in parent) { for (at = pid; at in parent && at != top;) at = parent[at]; if (at == top) print pid } }')
    kill $PB_ALL "$PB_CHILD" 2>/dev/null
}

pb_finish() {
    case $PB_DIALECT in
    agentproc) [ -z "$PB_BODY" ] || printf '%s\n' "$PB_BODY" | LC_ALL=C awk "$PB_ESCAPE" >&3 ;;
    agentproc/v4) pb_frame '{"type":"result","text":' "$PB_BODY" "$(pb_session_field)}" ;;
    terminal) [ -z "$PB_BODY" ] || pb_frame '{"type":"message","text":' "$PB_BODY" '}' ;;
    nib) pb_finish_nib ;;
    nuum)
        [ -z "$PB_BODY" ] || pb_assistant "$PB_BODY"
        pb_result success false "$PB_BODY"
        ;;
    plain) [ -z "$PB_BODY" ] || printf '%s\n' "$PB_BODY" >&3 ;;
    esac
}

# A line of the body that looks like protocol gets a space in front; some hosts end a line at a lone CR as well.
PB_ESCAPE='
/^AGENT_(SESSION|PARTIAL|ERROR):/ { $0 = " " $0 }
{
  while (match($0, /\rAGENT_(SESSION|PARTIAL|ERROR):/)) $0 = substr($0, 1, RSTART) " " substr($0, RSTART + 1)
  print
}'

pb_error() {
    case $PB_DIALECT in
    agentproc) pb_frame 'AGENT_ERROR:' "$1" '' ;;
    agentproc/v4) pb_frame '{"type":"error","message":' "$1" "$(pb_session_field)}" ;;
    terminal) pb_frame '{"type":"error","text":' "$1" '}' ;;
    nib) pb_frame '{"type":"error","error":' "$1" '}' ;;
    nuum) pb_result error true "$1" ;;
    *) printf '%s\n' "$1" >&2 ;;
    esac
}

pb_session_field() {
    [ -z "$PB_SESSION" ] || printf ',"session_id":"%s"' "$PB_SESSION"
}

# The protocol has structured answers too: for those the reply is a JSON object, or one path on each line, of which
# only those of files count.
pb_finish_nib() {
    PB_HEAD="{\"type\":\"success\",\"operation\":$(pb_json "$TURN_OPERATION"),"
    case $TURN_OPERATION in
    continuity-index)
        if pb_parse "$PB_BODY"; then printf '%s"data":%s}\n' "$PB_HEAD" "$PB_BODY" >&3
        else pb_error 'The agent did not answer with a JSON object.'; fi
        ;;
    project-scaffold)
        PB_FILES=$(printf '%s\n' "$PB_BODY" | while IFS= read -r PB_FILE; do
            [ ! -f "$PB_FILE" ] || printf ',%s' "$(pb_json "$PB_FILE")"
        done)
        printf '%s"files":[%s]}\n' "$PB_HEAD" "${PB_FILES#,}" >&3
        ;;
    *) pb_frame "$PB_HEAD\"text\":" "$PB_BODY" '}' ;;
    esac
}

pb_cancel() {
    case $PB_DIALECT in
    nuum) pb_result cancelled false '' ;;
    terminal) pb_frame '{"type":"error","code":"cancelled","text":' 'The turn was cancelled.' '}' ;;
    *) pb_error 'The turn was cancelled.' ;;
    esac
}

# ── The dialects ────────────────────────────────────────────────────────────────────────────────────────────

# The key of the session: the id that was brought, or one that no other has; and how long it is valid.
pb_key() {
    TURN_KEY=${1:-new-$(pb_random)} TURN_LASTS=$2
}

pb_agentproc() {
    PB_DIALECT=agentproc TURN_TEXT=$AGENT_MESSAGE PB_SESSION=${AGENT_SESSION_ID-}
    if [ "${AGENT_MESSAGE_TRUNCATED-}" = 1 ]; then TURN_TEXT=$(cat); fi
    TURN_SESSION=$PB_SESSION
    pb_key "$PB_SESSION" turn
    pb_turn
}

pb_v4() {
    PB_DIALECT=agentproc/v4 TURN_TEXT=$J_message PB_SESSION='' TURN_SESSION=$J_session_id
    pb_key "$J_session_id" turn
    pb_turn
}

pb_terminal() {
    PB_DIALECT=terminal TURN_TEXT=$J_text TURN_SESSION=$J_session_key
    pb_key '' turn
    if [ -n "${J_session_key:-$J_chat_id}" ]; then TURN_KEY=${J_session_key:-$J_channel:$J_chat_id} TURN_LASTS=''; fi
    if [ "$J_version" = 1 ]; then pb_turn; else pb_error 'Only version 1 of the envelope is understood.' && return 1; fi
}

# What nobody has heard of must not be reported as done.
pb_nib_knows() {
    case $1 in
    scene-proof | chapter-proof | scene-critique | chapter-critique | manuscript-critique | voice-check) ;;
    continuity-check | continuity-ask | continuity-index | character-talk | project-scaffold | manuscript-search) ;;
    *) return 1 ;;
    esac
}

pb_nib_turn() {
    TURN_OPERATION=$J_operation TURN_SESSION=${J_session:-nib:$J_dir} TURN_TEXT=${J_question:-$J_context}
    # Two projects may give their conversations the same id.
    TURN_KEY=${J_dir:+nib:$J_dir${J_session:+:}}$J_session TURN_LASTS=''
    TURN_KEY=${TURN_KEY:-nib}
    TURN_TEXT=${TURN_TEXT:-$(printf '%s\n' "$J_operation${J_paths:+$PB_NL$J_paths}" | paste -s -d ' ' -)}
}

# Exits with 0 in any case: the answer itself says what went wrong.
pb_nib() {
    PB_DIALECT=nib
    if ! pb_parse "$1"; then pb_error 'The request is not one JSON object.'
    elif ! pb_nib_knows "$J_operation"; then pb_error "unknown operation: $J_operation"
    else pb_nib_turn && pb_turn || :; fi
}

pb_nib_interactive() {
    PB_DIALECT=plain
    pb_parse "$1" || return 1
    pb_nib_turn
    pb_turn && pb_converse
}

pb_converse() {
    PB_DIALECT=plain
    [ -n "$TURN_KEY" ] || pb_key '' process
    while printf '> ' >&3 && IFS= read -r TURN_TEXT; do
        case $TURN_TEXT in
        /quit | /exit) break ;;
        ?*) pb_turn || : ;;
        esac
    done
}

pb_plain() {
    PB_DIALECT=plain TURN_TEXT=$1 TURN_SESSION=terminal
    pb_key '' process
    [ -z "$1" ] || pb_turn
}

pb_assistant() {
    pb_frame '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":' "$1" \
        "}],\"model\":\"plugboard\"},\"session_id\":\"$PB_SESSION\"}"
}

pb_result() {
    PB_HEAD="{\"type\":\"result\",\"subtype\":\"$1\",\"duration_ms\":$((($(date +%s) - PB_STARTED) * 1000)),\"is_error\":$2"
    pb_frame "$PB_HEAD,\"num_turns\":1,\"session_id\":\"$PB_SESSION\",\"result\":" "$3" '}'
}

pb_system() {
    printf '{"type":"system","subtype":"%s"%s}\n' "$1" "${2-}" >&3
}

pb_complain() {
    pb_frame '{"type":"system","subtype":"error","message":' "$1" '}'
}

# $1 is a first line that has been read already.
pb_nuum() {
    PB_DIALECT=nuum PB_SESSION=plugboard_$(pb_random)
    pb_system init "$(pb_session_field),\"version\":\"0.0.0\",\"tools\":[]"
    PB_LINE=$1
    while :; do
        case $PB_LINE in *[![:space:]]*) pb_nuum_line ;; esac
        IFS= read -r PB_LINE || [ -n "$PB_LINE" ] || break
    done
}

pb_nuum_line() {
    if ! pb_parse "$PB_LINE"; then pb_complain 'A line must be one JSON object.'; return; fi
    case $J_type/$J_action in
    user/*)
        if [ "$J_role" != user ]; then pb_complain '`message.role` must be "user".'; return; fi
        # From now on there is a result, whatever comes.
        PB_RUNNING=answer PB_STARTED=$(date +%s)
        pb_system turn_accepted "$(pb_session_field),\"timestamp\":\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\""
        TURN_TEXT=$J_content TURN_SESSION=$PB_SESSION TURN_KEY=$PB_SESSION TURN_LASTS=process
        pb_turn || :
        ;;
    control/heartbeat) pb_system heartbeat_ack ;;
    control/status) pb_system status_response ",\"running\":false$(pb_session_field)" ;;
    control/interrupt) pb_complain 'No turn is running.' ;;
    *) pb_complain "This is not understood: type \"$J_type\", action \"$J_action\"." ;;
    esac
}

# Finds out the dialect: first by what the host has set, then by the first line of input.
pb_serve() {
    for PB_ARGUMENT; do
        # What follows `--` is for a program that the agent starts.
        case $PB_ARGUMENT in
        --) break ;;
        --stdio) pb_nuum '' && return ;;
        esac
    done
    if [ -r "${NIB_AGENT_REQUEST_FILE-}" ]; then
        PB_LINE=$(cat "$NIB_AGENT_REQUEST_FILE") && rm -f "$NIB_AGENT_REQUEST_FILE"
        pb_nib_interactive "$PB_LINE"
    elif [ -n "${AGENT_MESSAGE+set}" ]; then
        pb_agentproc
    elif [ -t 0 ]; then
        pb_converse
    else
        pb_first_line || return 0
        case $PB_LINE in
        [[:space:]]*'{'* | '{'*)
            pb_parse "$PB_LINE" || { PB_LINE=$PB_LINE$PB_NL$(cat) && pb_parse "$PB_LINE"; } || pb_broken || return 1
            ;;
        *) PB_LINE=$PB_BLANK$PB_LINE$PB_NL$(cat) ;;
        esac
        pb_serve_input
    fi
}

# The first line that is not blank, and the blank lines before it. A byte order mark in front of all is none of either.
pb_first_line() {
    PB_BLANK=''
    while IFS= read -r PB_LINE || [ -n "$PB_LINE" ]; do
        [ -n "$PB_BLANK" ] || PB_LINE=${PB_LINE#"$PB_MARK"}
        case $PB_LINE in *[![:space:]]*) return 0 ;; esac
        PB_BLANK=$PB_BLANK$PB_LINE$PB_NL
    done
    return 1
}

# Half a request is nothing that a person has said. Its host is told in its own words, where enough of it has come.
pb_broken() {
    PB_HALF=$(printf '%s' "$PB_LINE" | tr -d '[:space:]')
    case $PB_HALF in '{"'*) ;; *) return 0 ;; esac
    case $PB_HALF in
    *'"operation":'*) PB_DIALECT=nib ;;
    *'"type":"turn"'*) PB_DIALECT=agentproc/v4 ;;
    *'"version":'*) PB_DIALECT=terminal ;;
    esac
    pb_error 'The request is not valid JSON: it seems to have been cut off.'
    return 1
}

pb_serve_input() {
    case ${J_operation:+nib}${J_version:+terminal}${J_type-} in
    nib*) pb_nib "$PB_LINE$PB_NL$(cat)" ;;
    terminal*) pb_terminal ;;
    turn) pb_v4 ;;
    user | control) pb_nuum "$PB_LINE" ;;
    *) pb_plain "${PB_LINE%"$PB_NL"}" ;;
    esac
}

PB_DIALECT=plain PB_RUNNING='' PB_CHILD='' PB_FILE='' PB_EXIT='' PB_SESSION='' TURN_TEXT='' TURN_SESSION='' TURN_KEY='' TURN_LASTS='' TURN_OPERATION=''
J_type='' J_operation='' J_version=''
# Asked here, since stdin is empty inside `answer`.
if [ -t 0 ]; then PB_TYPED=yes; else PB_TYPED=no; fi
trap 'pb_terminate 143' TERM
trap 'pb_terminate 130' INT
# What else this script prints goes to stderr.
exec 3>&1 1>&2
pb_serve "$@"
exit
