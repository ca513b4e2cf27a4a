# A Python with packages of its own; source say.sh first.

# Sets python: that of the virtual environment FOLDER, made where it is missing, or has not what
# REQUIREMENTS names. usage: python_with FOLDER REQUIREMENTS
python_with() {
    python=$PWD/$1/bin/python
    ! cmp -s "$2" "$1/requirements.txt" || return 0
    step "install what $2 names into $1"
    rm -rf "$1"
    # Debian's packages stay in sight: aiosmtpd is one.
    /usr/bin/python3 -m venv --system-site-packages "$1"
    "$1/bin/pip" --quiet --disable-pip-version-check install --requirement "$2" >&2 ||
        fail "pip could not install what $2 names. Its messages are above."
    cp "$2" "$1/"
}
