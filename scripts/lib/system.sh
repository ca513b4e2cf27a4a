# The system on which a script runs, and the tools whose options differ between Debian and macOS. What runs on
# macOS keeps to bash 3.2, which is the bash there.

system=$(uname -s)

# The programs that are built and installed here. The relay is for Linux.
system_programs=(memo memo-agent memo-relay)
# Prints the SHA-256 of its input, or of each file.
sha256=(sha256sum)
if [ "$system" = Darwin ]; then
    system_programs=(memo memo-agent)
    sha256=(shasum -a 256)
fi

# Prints name, size and time of change of a file.
file_state() { # file
    if [ "$system" = Darwin ]; then stat -f '%N %z %m' "$1"; else stat -c '%n %s %Y' "$1"; fi
}

# The same of a file, or of all that is in a folder.
tree_states() { # path
    if [ "$system" = Darwin ]; then
        find "$1" -exec stat -f '%N %z %Fm' {} +
    else
        find "$1" -printf '%P %s %T@\n'
    fi
}
