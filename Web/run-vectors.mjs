// Runs the cores, compiled to WebAssembly, against the vectors of the repository.
// usage: node run-vectors.mjs CoreVectors.wasm VECTORS_FOLDER
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { join } from "node:path";

const [modulePath, vectorsPath] = process.argv.slice(2);
const vectors = (name) => JSON.parse(readFileSync(join(vectorsPath, `${name}.json`), "utf8"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (text) => new Uint8Array(Buffer.from(text, "hex"));

const module = new WebAssembly.Module(readFileSync(modulePath));
const imports = {};
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  if (kind !== "function") throw new Error(`the module imports a ${kind}: ${from}.${name}`);
  (imports[from] ??= {})[name] = () => {
    throw new Error(`the core called ${from}.${name}: it must not do I/O`);
  };
}
const { exports: core } = new WebAssembly.Instance(module, imports);
core._initialize?.();

function give(input) {
  const start = core.input_buffer(input.length);
  new Uint8Array(core.memory.buffer, start, input.length).set(input);
}
const take = (length) => new Uint8Array(core.memory.buffer, core.output_buffer(), length).slice();

let checks = 0;
function expect(condition, what) {
  checks += 1;
  if (!condition) throw new Error(`does not hold: ${what}`);
}

const envelopeErrors = ["truncated", "unsupportedVersion", "corrupted", "malformed"];
for (const vector of vectors("envelopes")) {
  give(bytes(vector.hex));
  const length = core.envelope_round_trip();
  if (vector.error) {
    expect(envelopeErrors[-length - 1] === vector.error, `envelope: ${vector.name}`);
  } else {
    expect(length > 0 && hex(take(length)) === vector.hex, `envelope: ${vector.name}`);
    expect(core.envelope_attempts() >>> 0 === vector.attempts, `attempts: ${vector.name}`);
  }
}

const recordErrors = ["truncated", "unsupportedVersion"];
for (const vector of vectors("sealed-records")) {
  const record = bytes(vector.hex);
  give(record);
  const length = core.record_round_trip();
  if (recordErrors.includes(vector.error)) {
    expect(recordErrors[-length - 1] === vector.error, `record: ${vector.name}`);
    continue;
  }
  expect(hex(take(length)) === vector.hex, `record: ${vector.name}`);
  give(new Uint8Array([...bytes(vector.id), ...Buffer.from(vector.kind)]));
  const associated = take(core.associated_data(
    BigInt(`0x${vector.keyID}`), BigInt(vector.createdAt)));
  expect(vector.error || hex(associated) === vector.associatedData, `data: ${vector.name}`);
  const key = await webcrypto.subtle.importKey("raw", bytes(vector.key), "AES-GCM", false, ["decrypt"]);
  const opened = await webcrypto.subtle.decrypt(
    { name: "AES-GCM", iv: record.slice(9, 21), additionalData: associated }, key, record.slice(21),
  ).catch(() => null);
  if (vector.error) expect(opened === null, `opens though ${vector.name}`);
  else expect(opened && hex(opened) === vector.plaintext, `plaintext: ${vector.name}`);
}

for (const { time, random, text } of vectors("identifiers")) {
  const words = random.map((word) => BigInt(`0x${word}`));
  const length = core.identifier_text(BigInt(time), ...words);
  expect(Buffer.from(take(length)).toString() === text, `identifier ${text}`);
}

for (const { attempt, jitter, milliseconds } of vectors("device-retries")) {
  const delay = core.device_retry_delay(attempt, jitter);
  expect(delay === BigInt(milliseconds), `the wait after attempt ${attempt}`);
}

const journey = core.machine_journey();
expect(journey === 0, `step ${journey} of the machine's journey`);
console.log(`wasm cores: ${checks} checks hold`);
