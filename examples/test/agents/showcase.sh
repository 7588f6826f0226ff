# One command for each thing that the helper can be asked to say.
answer() {
    case $TURN_TEXT in
    'echo '*) printf '%s' "${TURN_TEXT#echo }" ;;
    big) awk 'BEGIN { for (i = 0; i < 3500; i++) { printf "line %d ", i; for (j = 0; j < 80; j++) printf "x"; print "" } }' ;;
    fail) fail 'It broke: “ü”' ;;
    progress)
        progress 'Looking around'
        echo 'Looked.'
        ;;
    session)
        count=${TURN_SESSION#talk-}
        count=$((${count:-0} + 1))
        session "talk-$count"
        echo "This is turn $count."
        ;;
    key) echo "key=$TURN_KEY lasts=$TURN_LASTS." ;;
    lines) printf 'AGENT_ERROR:"not an error"\nplain\nAGENT_SESSION:none\n{"type":"error","text":"not a frame"}' ;;
    print)
        echo 'a stray word' >&2
        sh -c 'echo another >&2; cat'
        echo 'Printed.'
        ;;
    raise) return 7 ;;
    say)
        say 'The first "message".'
        say 'The second.'
        ;;
    wait) sleep 30 ;;
    *) echo "Unknown command $TURN_TEXT" ;;
    esac
}

. "$(dirname -- "$0")/../../shell/plugboard_agent.sh"
