// ---- Names, texts, times and characters.

let names = [""], words = [];
async function readWords(language) {
  const response = await get(WORDS[language]);
  if (!response.ok) throw new TypeError();
  words = await response.json();
}
async function loadWords(request, language) {
  try {
    await readWords(language);
    const templates = [...document.querySelectorAll("template")].map(({ content }) => content);
    for (const root of [document, ...templates]) {
      for (const element of root.querySelectorAll("[data-text], [data-label]")) {
        const { text, label } = element.dataset;
        if (text in words) element.textContent = words[text];
        if (label in words) element.setAttribute("aria-label", words[label]);
      }
    }
    answer(request);
  } catch (error) {
    fail(request, error);
  }
}

/** Puts values where a text says {1} and so on, each in its own direction. */
function setWords(element, attribute, index, values) {
  const text = (words[index] ?? "").replace(
    /\{([1-9])\}/g, (all, place) => (place > values.length ? all : `\u2068${values[place - 1]}\u2069`));
  if (attribute) element.setAttribute(attribute, text);
  else element.textContent = text;
}

let times = null;
function setTime(element, milliseconds, text) {
  const { lang } = document.documentElement, date = new Date(milliseconds);
  if (times?.lang !== lang) {
    const format = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" });
    times = { lang, format };
  }
  // A number from outside may be no moment of any calendar.
  const isMoment = !Number.isNaN(date.getTime());
  element.textContent = isMoment ? text.replace("{1}", () => times.format.format(date)) : "";
  if (isMoment && element.localName === "time") element.setAttribute("datetime", date.toISOString());
}

function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()];
}

function characterEnds(line) {
  const characters = globalThis.Intl?.Segmenter
    ? Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment) : Array.from(line);
  let end = 0;
  const ends = characters.map((character) => (end += utf8.encode(character).length));
  return [ends.length, ...ends];
}
