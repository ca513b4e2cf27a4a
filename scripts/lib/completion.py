"""Writes the completion script of a program for a shell to standard output.

usage: completion.py PROGRAM bash|zsh|fish

The script is the one that the program makes itself (`--generate-completion-script`). Where a command
takes a text when no subcommand is named, as `memo TEXT ...` does, the script would offer subcommands
among the words of the text; it gets a guard that offers nothing there. No script runs the program, so
that nothing stored is ever offered.
"""

import json
import re
import subprocess
import sys
from pathlib import Path


def asked(program, *arguments):
    return subprocess.run(
        [program, *arguments], check=True, capture_output=True, text=True,
        env={"LC_ALL": "C.UTF-8", "MEMO_HOME": "/nonexistent"}).stdout


def replaced(text, old, new):
    """The text with the first `old` replaced; `old` has to be there."""
    assert old in text, f"the completion script has no longer: {old!r}"
    return text.replace(old, new, 1)


class TextCommand:
    """A program whose default command takes a text."""

    def __init__(self, name, root, default):
        self.name = name
        self.subcommands = "|".join(
            each["commandName"] for each in root["subcommands"] if each.get("shouldDisplay", True))
        own = {argument["valueName"] for argument in root["arguments"]}
        self.flags = {
            f"--{argument['valueName']}": argument["abstract"] for argument in default["arguments"]
            if argument["kind"] == "flag" and argument["valueName"] not in own}

    @property
    def ends(self):
        """The words after which everything is text."""
        return "|".join(["--", *self.flags])

    def bash(self, script):
        script = replaced(script, f"_{self.name}() {{\n", f"""_{self.name}() {{
    # The words of a text are completed by nothing.
    local -i text_index
    for ((text_index = 1; text_index < COMP_CWORD; text_index++)); do
        case "${{COMP_WORDS[text_index]}}" in
        {self.ends}) return ;;
        -*) ;;
        {self.subcommands}) break ;;
        *) return ;;
        esac
    done

""")
        return replaced(
            script, "non_repeating_flags=(--version", f"non_repeating_flags=({' '.join(self.flags)} --version")

    def zsh(self, script):
        script = replaced(script, "    unsetopt aliases banghist\n\n    local -xr", f"""    unsetopt aliases banghist

    # The words of a text are completed by nothing.
    local text_word
    for text_word in "${{(@)words[2,CURRENT-1]}}"; do
        case "${{text_word}}" in
        {self.ends}) return 1 ;;
        -*) ;;
        {self.subcommands}) break ;;
        *) return 1 ;;
        esac
    done

    local -xr""")
        specs = "".join(f"        '{flag}[{meaning}]'\n" for flag, meaning in self.flags.items())
        return replaced(script, "    local -ar arg_specs=(\n", f"    local -ar arg_specs=(\n{specs}")

    def fish(self, script):
        guard = f"""# Whether the cursor is in the words of a text, which are completed by nothing.
function __{self.name}_is_in_text
    for word in (__{self.name}_tokens -pc)[2..]
        if contains -- "$word" {self.ends.replace("|", " ")}
            return 0
        end
        switch "$word"
            case '-*'
            case {self.subcommands.replace("|", " ")}
                return 1
            case '*'
                return 0
        end
    end
    return 1
end

"""
        for kind in ("flags_or_options", "positional"):
            heads = re.findall(rf"^function __{self.name}_should_offer_completions_for_{kind}.*\n", script, re.M)
            script = replaced(script, heads[0], f"{heads[0]}    __{self.name}_is_in_text; and return 1\n")
        names = " ".join(f"'{flag[2:]}'" for flag in self.flags)
        script = replaced(script, f"    case '{self.name}'\n        __{self.name}_parse_subcommand 0 ",
                          f"    case '{self.name}'\n        __{self.name}_parse_subcommand 0 {names} ")
        condition = f"__{self.name}_should_offer_completions_for_flags_or_options \"{self.name}\""
        for flag, meaning in self.flags.items():
            script += f"complete -c '{self.name}' -n '{condition} {flag[2:]}' -l '{flag[2:]}' -d '{meaning}'\n"
        return guard + script


def script_of(program, shell):
    name = Path(program).name
    script = asked(program, "--generate-completion-script", shell)
    if shell == "bash":
        # A subcommand is offered at the word after its command, and at no later one.
        script = script.replace(
            "    *)\n        # Offer subcommand completions", '    "${cur}")\n        # Offer subcommand completions')
    root = json.loads(asked(program, "--experimental-dump-help"))["command"]
    for each in root["subcommands"]:
        if each["commandName"] == root.get("defaultSubcommand"):
            script = getattr(TextCommand(name, root, each), shell)(script)
    return script.rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(script_of(*sys.argv[1:]))
