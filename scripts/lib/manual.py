"""Writes the manual page of a program in roff, see man(7), to standard output.

usage: manual.py PROGRAM SECTION ADDITIONS

The commands and their options are those that PROGRAM itself names (`--experimental-dump-help`,
`--help`); ADDITIONS is a file of further sections in roff. A paragraph of a description that begins
with "Exit codes:" or "Environment:" becomes the section of that name.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

#: The parser's own, which every command has.
EVERYWHERE = {"help", "version"}


def asked(program, *arguments):
    """The program's answer, in English, whoever asks."""
    return subprocess.run(
        [program, *arguments], check=True, capture_output=True, text=True,
        env={"LC_ALL": "C.UTF-8", "MEMO_HOME": "/nonexistent", "COLUMNS": "1000"}).stdout


def escaped(text):
    """The text as roff prints it unchanged: signs of the keyboard stay the signs of the keyboard."""
    text = text.replace("\\", "\\e")
    for sign, name in (("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(sign, name)
    return "\\&" + text if text.startswith(".") else text


def name_of(argument):
    """The option as it is written, or the name of a value."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR" + (" ..." if argument["isRepeating"] else "")
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    label = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    return label + (f" \\fI{escaped(value)}\\fR" if argument["kind"] == "option" else "")


def shown_arguments(command):
    return [argument for argument in command.get("arguments", [])
            if argument["shouldDisplay"] and argument.get("valueName") not in EVERYWHERE]


def shown_subcommands(command):
    return [each for each in command.get("subcommands", [])
            if each.get("shouldDisplay", True) and each["commandName"] != "help"]


def synopsis(path, command):
    words = [f"\\fB{escaped(' '.join(path))}\\fR"]
    for argument in shown_arguments(command):
        name = name_of(argument)
        words.append(f"[{name}]" if argument["isOptional"] else name)
    return " ".join(words)


def paragraphs(command):
    """The paragraphs of a command's description."""
    return [command.get("abstract", ""), *filter(None, command.get("discussion", "").split("\n\n"))]


def take(lead, commands):
    """Takes the first paragraph with this lead out of the descriptions; answers the rest of it."""
    for command in commands:
        kept = paragraphs(command)[1:]
        for paragraph in kept:
            if paragraph.startswith(f"{lead}:"):
                kept.remove(paragraph)
                command["discussion"] = "\n\n".join(kept)
                return " ".join(paragraph.removeprefix(f"{lead}:").split())
    return None


def running_text(command):
    lines = []
    for paragraph in paragraphs(command):
        lines += [escaped(" ".join(paragraph.split())), ".PP"]
    return lines[:-1]


def usages(help_text):
    """The lines of a usage that the program words itself, as (words, meaning)."""
    block = re.search(r"^USAGE: (.*?)\n\n", help_text, re.M | re.S)[1]
    for line in block.splitlines():
        words, _, meaning = line.strip().partition("  ")
        yield words, meaning.strip()


def described(path, command):
    """A command's part of the page, and those of its subcommands."""
    lines = [".SS " + synopsis(path, command), *running_text(command), *options(command)]
    for each in shown_subcommands(command):
        lines += described([*path, each["commandName"]], each)
    return lines


def options(command):
    lines = []
    for argument in shown_arguments(command):
        meaning = argument.get("abstract", "")
        if "defaultValue" in argument:
            meaning += f" Default: {argument['defaultValue']}."
        lines += [".TP", name_of(argument), escaped(meaning)]
    return lines


def exit_codes(text):
    """"0 done, 64 not understood" as a list of terms."""
    lines = []
    for code, meaning in re.findall(r"(?:^|[,;] )(\d+) ?(.*?)(?=[,;] \d+ |[.;,]?$)", text):
        lines += [".TP", f"\\fB{code}\\fR", escaped(meaning or "success") + "."]
    return lines


def page(program, section, additions):
    name = Path(program).name
    root = json.loads(asked(program, "--experimental-dump-help"))["command"]
    commands = [root, *shown_subcommands(root)]
    codes, environment = take("Exit codes", commands), take("Environment", commands)
    summary = root["abstract"].rstrip(".")
    lines = [
        f'.TH {name.upper()} {section} "" "Simple Memo" "Simple Memo"',
        # A name that a program reads stays whole.
        ".nh", ".ad l",
        ".SH NAME", f"{escaped(name)} \\- {escaped(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
    ]
    worded = list(usages(asked(program, "--help")))
    for words, _ in worded:
        lines += [f"\\fB{escaped(words)}\\fR", ".br"]
    lines[-1] = ".SH DESCRIPTION"
    lines += running_text(root)
    for words, meaning in worded:
        if meaning:
            lines += [".TP", f"\\fB{escaped(words)}\\fR", escaped(meaning) + "."]
    lines += [
        ".SH COMMANDS",
        f"Each command explains its options, too: \\fB{escaped(name)}\\fR \\fIcommand\\fR "
        "\\fB\\-\\-help\\fR.",
    ]
    for each in shown_subcommands(root):
        lines += described([name, each["commandName"]], each)
    if codes:
        lines += [".SH EXIT STATUS", *exit_codes(codes)]
    if environment:
        lines += [".SH ENVIRONMENT", escaped(environment)]
    return "\n".join(lines) + "\n" + Path(additions).read_text()


if __name__ == "__main__":
    sys.stdout.write(page(*sys.argv[1:]))
