#!/usr/bin/env python3
"""Writes what the fuzzers begin with: the project's vectors and golden store, one file an input.

usage: seeds.py FOLDER    makes FOLDER/TARGET/... and leaves what is there
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pathlib.Path(sys.argv[1])


def write(target, name, data):
    folder = FOLDER / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def vectors(name):
    return enumerate(json.loads((ROOT / "Vectors" / f"{name}.json").read_text()))


for number, vector in vectors("identifiers"):
    write("identifier", f"text-{number}", vector["text"].encode())
    write("identifier", f"bytes-{number}", bytes.fromhex(vector["text"].replace("-", "")))
for number, vector in vectors("envelopes"):
    data = bytes.fromhex(vector["hex"])
    write("envelope", f"vector-{number}", data)
    write("envelope", f"vector-{number}-without-check", data[:-4])
for number, vector in vectors("sealed-records"):
    write("sealed-record", f"vector-{number}", bytes.fromhex(vector["hex"]))
for path in sorted(ROOT.glob("Tests/OutboxFilesTests/Golden/*/operations/*")):
    write("operation-file", path.name, path.read_bytes())

for number, body in enumerate([
        '{"text":"caf\\u00e9 \\ud83d\\ude00\\n","subject":null}', '{"address":"a@b.example","language":"pt-BR"}',
        '{"address":"a@b.example","code":"123456","device":"d","handle":"h","more":[15,{}]}']):
    write("api-body", f"body-{number}", body.encode())
for number, address in enumerate(["first.last+tag@mail.example.org", "a@b", "x@-y.example"]):
    write("address", f"address-{number}", address.encode())
write("mail", "prose", b"\x01\x40\x00subject =?\nFrom here\n. =3D \xc3\xa9\xe6\x97\xa5 ")
write("queued-mail", "mail", b"\x01\x00\x03a@b\x00\x03c@d\x00\x01xSubject: x\r\n\r\nbody\r\n")
write("delivery-report", "report", b"""\
Delivered-To: <bounce+x@relay.example>
Content-Type: multipart/report; report-type=delivery-status; boundary="b/1"

--b/1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; a@b.example
Action: failed
Status: 5.1.1

--b/1--
""")
for number, event in enumerate([
        {"type": "email.bounced", "data": {
            "bounce": {"type": "Transient"}, "tags": {"memo": "x", "other": "y"}}},
        {"type": "email.failed", "data": {"tags": [{"name": "memo", "value": "x"}]}},
        {"type": "contact.created", "data": []}]):
    write("resend-event", f"event-{number}", json.dumps(event).encode())
for number, field in enumerate(['"minute";r=29;t=60, "day";r=199', '"a";r=0;t=5;x="y\\"";z', '"";r=1']):
    write("rate-limit", f"field-{number}", field.encode())
write("web-trailer", "entries", b"\x00\x05/a.js\x00\x00\x00\x02hi")
