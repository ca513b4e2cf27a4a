# What a gate looks for at random follows from the commit, so that whoever runs it again on the same
# commit looks for the same, and other commits for something else.
# usage: commit_seed    a number of 28 bits on standard output
commit_seed() {
    local commit
    commit=$(git rev-parse HEAD 2>/dev/null) || commit=1
    echo $((16#${commit:0:7}))
}
