"use strict";
// The least that a memo needs before it may leave the screen: encrypted with a key that cannot be
// read out, and on the disk.
(async () => {
  const field = document.getElementById("memo");
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  const open = indexedDB.open("bare", 1);
  open.onupgradeneeded = () => open.result.createObjectStore("records", { autoIncrement: true });
  const database = await new Promise((resolve, reject) => {
    open.onsuccess = () => resolve(open.result);
    open.onerror = () => reject(open.error);
  });
  addEventListener("keydown", async (event) => {
    if (!event.ctrlKey || event.key !== "Enter") return;
    event.preventDefault();
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(field.value);
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, text);
    const run = database.transaction("records", "readwrite", { durability: "strict" });
    run.objectStore("records").add({ iv, sealed });
    run.oncomplete = () => {
      field.value = "";
      field.focus();
    };
  });
  document.documentElement.dataset.ready = "yes";
})();
