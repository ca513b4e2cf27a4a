# The files that scripts/install has put under a prefix; after say.sh and system.sh.
#
# A list in the prefix names them: a line "HASH PATH" for a file and "folder PATH" for a folder that had
# to be made, relative to the prefix. A file whose content has another hash is not ours.
#
# The list is not in share/simple-memo: with the prefix ~/.local that is the folder of a person's memos.

installed_list=lib/simple-memo/installed

hash_of() { "${sha256[@]}" <"$1" | cut -d ' ' -f 1; }

# Whether this is a path that an installation may have; the list is input.
is_ours_to_touch() { # path
    case /$1/ in
        */../* | */./* | *//*) return 1 ;;
    esac
    case $1 in
        bin/memo | bin/memo-agent | bin/memo-relay | share/man/man[18]/memo*.[18]) ;;
        share/bash-completion/completions/memo* | share/zsh/site-functions/_memo*) ;;
        share/fish/vendor_completions.d/memo*.fish) ;;
        *) return 1 ;;
    esac
}

# Whether the file is as one of the installations on the list left it.
is_as_installed() { # prefix path
    [ -f "$1/$2" ] && [ ! -L "$1/$2" ] && grep -qxF "$(hash_of "$1/$2") $2" "$1/$installed_list"
}

# Removes the service of whoever runs this, where it runs the agent of this prefix: a service whose program
# is gone fails again and again.
end_service() { # prefix
    local service agent line
    service=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/simple-memo-agent.service
    [ "$system" != Darwin ] || service=$HOME/Library/LaunchAgents/simple-memo.agent.plist
    [ -f "$service" ] && is_as_installed "$1" bin/memo-agent || return 0
    agent=$(realpath "$1/bin/memo-agent")
    line="ExecStart=:\"${agent//%/%%}\" run"
    [ "$system" != Darwin ] ||
        line="        <string>$(sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' <<<"$agent")</string>"
    grep -qxF "$line" "$service" || return 0
    "$agent" uninstall ||
        fail "the service of the agent cannot be removed; see above. Nothing else was removed."
}

# Removes a file of the list, if it is as it was installed. Says so, if not.
remove_installed() { # prefix path
    rm -f "$1/${2%/*}/.${2##*/}.memo-new"
    [ -e "$1/$2" ] || [ -L "$1/$2" ] || return 0
    if is_as_installed "$1" "$2"; then
        rm "$1/$2"
    else
        echo "kept: $1/$2 is not as it was installed" >&2
    fi
}
