// ---- The commands, each in its chapter.

const execute = {
  // The page.
  [Command.setText]: (c) => { c.target().textContent = c.text(); },
  [Command.setValue]: (c) => {
    const [field, text, mode] = [c.target(), c.text(), c.byte()];
    if (mode === 2) offerValue(field, text);
    else setValue(field, text, mode);
  },
  [Command.setAttribute]: (c) => c.target().setAttribute(c.name(), c.text()),
  [Command.removeAttribute]: (c) => c.target().removeAttribute(c.name()),
  [Command.addRow]: (c) => addRow(c.target(), c.name(), c.number(), c.number()),
  [Command.remove]: (c) => c.target().remove(),
  [Command.focus]: (c) => giveFocus(c.target()),
  [Command.readValue]: (c) => { const request = c.request(); answer(request, c.target().value ?? ""); },
  [Command.setOpen]: (c) => setOpen(c.target(), c.byte()),
  [Command.loadWords]: (c) => loadWords(c.request(), c.text()),
  [Command.setTime]: (c) => setTime(c.target(), c.fraction(), words[c.byte()] ?? "{1}"),
  [Command.setClass]: (c) => c.target().classList.toggle(c.name(), c.byte() === 1),
  [Command.setChecked]: (c) => { c.target().checked = c.byte() === 1; },
  [Command.navigate]: (c) => navigate(c.text(), c.byte()),
  [Command.openPage]: (c) => window.open(c.text(), "_blank", "noopener"),
  [Command.setNames]: (c) => { names = c.text().split(" "); },
  [Command.setWords]: (c) => setWords(c.target(), c.name(), c.byte(), c.list((c) => c.text())),
  [Command.beginTransition]: () => {},
  // The device.
  [Command.setTimer]: (c) => setTimer(c.number(), c.fraction()),
  [Command.openDatabase]: (c) => { database = openDatabase(c.text(), c.list((c) => c.list((c) => c.text()))); },
  [Command.perform]: (c) => transact(c, c.request()),
  [Command.makeKey]: (c) => makeKey(c.request(), c.bytes()),
  [Command.seal]: (c) => seal(c.request(), c.list((c) => [c.bytes(), c.bytes(), c.bytes()])),
  [Command.open]: (c) => open(c.request(), c.list((c) => [c.bytes(), c.bytes(), c.bytes()])),
  [Command.exchange]: (c) => exchange(c),
  [Command.takeLock]: (c) => takeLock(c.request(), c.text(), c.byte() === 1),
  [Command.freeLock]: (c) => freeLock(c.text()),
  [Command.ring]: (c) => bell?.postMessage(c.bytes()),
  [Command.copy]: (c) => copy(c.request(), c.text()),
  [Command.registerSync]: (c) => registerSync(c.text()),
  [Command.persist]: (c) => persist(c.request()),
  [Command.reload]: () => (onPage ? location.reload() : end()),
  [Command.activateUpdate]: () => worker?.waiting?.postMessage("activate"),
  [Command.finish]: (c) => finish(c.number(), c.byte() === 1),
  [Command.registerWorker]: () => registerWorker(),
  [Command.readDay]: (c) => answer(c.request(), ...today()),
  [Command.readCharacterEnds]: (c) => answer(c.request(), ...characterEnds(c.text())),
  [Command.notify]: (c) => notify(
    c.request(), c.text(), c.byte(), c.byte(), c.list((c) => [c.text(), c.byte()])),
  [Command.askToNotify]: (c) => askToNotify(c.request()),
  [Command.performThenTake]: (c) => {
    const [request, field, text] = [c.request(), c.target(), c.text()];
    transact(c, request, () => take(request, field, text));
  },
};
