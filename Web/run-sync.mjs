// Runs SyncCore, compiled to WebAssembly, through the journey of SyncDriver.
// usage: node run-sync.mjs SyncDriver.wasm
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = {};
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  if (kind !== "function") throw new Error(`the module imports a ${kind}: ${from}.${name}`);
  (imports[from] ??= {})[name] = () => {
    throw new Error(`the core called ${from}.${name}: it must not do I/O`);
  };
}
const { exports: core } = new WebAssembly.Instance(module, imports);
core._initialize?.();
const failed = core.sync_journey();
if (failed !== 0) throw new Error(`expectation ${failed} of the journey does not hold`);
console.log("the journey of SyncDriver holds");
