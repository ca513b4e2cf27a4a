const address = (name) => window.trustedTypes
    ? trustedTypes.createPolicy("memo", {createScriptURL: (url) => url}).createScriptURL(name)
    : name;
navigator.serviceWorker?.register(address("/worker.js"));
