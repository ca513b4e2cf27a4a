# The manual pages and completion scripts, made from what the programs themselves say; after say.sh.

manual_section() { # program
    case $1 in memo-relay) echo 8 ;; *) echo 1 ;; esac
}
page_of() { # program
    local section
    section=$(manual_section "$1")
    echo "share/man/man$section/$1.$section"
}

# Prints the files that belong to a program, relative to the folder that has `bin` and `share`.
files_of() { # program
    printf '%s\n' "bin/$1" "$(page_of "$1")" \
        "share/bash-completion/completions/$1" "share/zsh/site-functions/_$1" \
        "share/fish/vendor_completions.d/$1.fish"
}

# Writes the manual page and the completion scripts of TREE/bin/PROGRAM into TREE/share.
# usage: document TREE PROGRAM
document() {
    local program page bash zsh fish
    { read -r program && read -r page && read -r bash && read -r zsh && read -r fish; } < <(files_of "$2")
    mkdir -p "$1/${page%/*}" "$1/${bash%/*}" "$1/${zsh%/*}" "$1/${fish%/*}"
    /usr/bin/python3 scripts/lib/manual.py "$1/$program" "$(manual_section "$2")" "docs/manual/$2.roff" >"$1/$page"
    /usr/bin/python3 scripts/lib/completion.py "$1/$program" bash >"$1/$bash"
    /usr/bin/python3 scripts/lib/completion.py "$1/$program" zsh >"$1/$zsh"
    /usr/bin/python3 scripts/lib/completion.py "$1/$program" fish >"$1/$fish"
}
