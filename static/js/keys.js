// Moving, judging and looking up by keyboard. Focus is the browser's own; keys press the buttons that print them.
const judge = document.getElementById("judge");
const sheet = document.getElementById("keysheet");
const single = document.getElementById("single-keys");
// Key -> act, as the page prints the person's own keys; of two with one key the last counts. Answers are buttons.
const names = new Map([...sheet.querySelectorAll("[data-does]")].map((one) => [one.textContent, one.dataset.does]));
const store = "evalsite:single-keys";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
// Items are asked one at a time; the others are hidden, or lines that the keys do not act on.
const FOLDED = ".one:not(.now)";
const OF_MESSAGES = ["change", "reason", "comment", "missed", "copy_text", "copy_link", "only"]; // acts on the current message
// What is in a step that was just closed keeps the focus until the next layout.
const here = () => [document.activeElement?.closest(".item, .msg")].find((part) => part?.checkVisibility() && !part.matches(FOLDED));
// A game is read, judged and submitted; other pages have no phases.
const isIn = (phase) => document.body.classList.contains(`phase-${phase}`);
const enter = (phase) => { document.body.className = document.body.className.replace(/phase-\w+/, `phase-${phase}`); };
const atSuggestions = () => Boolean(document.activeElement?.closest("[data-suggested], #suggestions"));
const message = () => document.getElementById(now);
const messages = () => all(".msg:not([hidden])");
const items = () => all(`#step-${judge.dataset.step} .item`);
const says = document.getElementById("says");
const isBusy = () => document.body.dataset.busy === "wait" || "looking" in document.body.dataset;
let [prefix, quiet, pointing] = ["", 0, null];
let now = ""; // the id of the current message: the element may be redrawn
let asked = ""; // the id of the item that had the focus last, by itself or by its message
let place = ""; // the id of the item or message that had the focus last
let struck = []; // keys pressed while the page waits for an answer that moves the focus: they are for what comes then
// If a field failed to load, further typing was meant for it: no key judges until a pause.
const PAUSE = 1500;
let typingUntil = 0;
let alone = document.querySelector("#map [aria-current=true]")?.dataset.isolate ?? ""; // the agent whose messages are shown

single.checked = (localStorage.getItem(store) ?? single.dataset.default) === "on";
single.addEventListener("change", () => localStorage.setItem(store, single.checked ? "on" : "off"));

// What the keys judge: of the step, or of what it asks about one message, the item asked last, else the first that asks.
function current(about) {
  const several = items().filter((item) => !about || item.dataset.message === about);
  return several.find((item) => item.id === asked) ?? several.find((item) => item.matches("[data-needs]")) ?? several[0];
}

// Whether another message is current than the one that is asked about: no key answers for what is not marked.
const isAstray = () => Boolean(now) && ![undefined, now.slice(8)].includes(current()?.dataset.message);

function point(item = current()) {
  if (!item?.matches(".now")) says.replaceChildren(); // it was said of what was asked before
  for (const one of all(".item")) one.classList.toggle("now", one === item);
  const tab = document.querySelector("#steps [aria-current]") ?? document.getElementById("step-says");
  if (!tab?.dataset.name) return;
  const ones = items().filter((one) => one.matches(".one, .rates"));
  const [at, done] = [ones.indexOf(item) + 1, ones.filter((one) => one.dataset.value || one.querySelector("[aria-pressed=true]"))];
  tab.style.setProperty("--done", `${(100 * done.length) / (ones.length || 1)}%`);
  const spoken = document.querySelector("#steps, #step-says").dataset;
  const left = document.querySelector(".step.on .wider") ? ones.filter((one) => one.matches("[data-needs]")).length : 0;
  const words = (left ? spoken.further : spoken.says).replace("{name}", tab.dataset.name).replace("{n}", left || at);
  document.getElementById("step-says").textContent = at ? words.replace("{all}", ones.length) : tab.title.replace(":", ",");
}

function light() {
  const at = messages().indexOf(message());
  for (const one of all(".msg.now, .msg.near")) one.classList.remove("now", "near");
  message()?.classList.add("now");
  for (const one of messages().slice(Math.max(at - 3, 0), Math.max(at, 0))) one.classList.add("near");
}

// Whatever hides a part opens.
const uncover = (part) => { for (let one = part.closest("details"); one; one = one.parentElement.closest("details")) one.open = true; };

function say(text) {
  says.replaceChildren(Object.assign(document.createElement("p"), { textContent: text }));
  clearTimeout(quiet);
  quiet = setTimeout(() => says.replaceChildren(), 4000);
}

const label = (part) => [...part.childNodes].filter((node) => !node.matches?.("kbd, small")).map((node) => node.textContent).join("").trim();

// The keys of an item in words: "y Strategic, n Not strategic".
function explain(key) {
  const buttons = isIn("read") || !current() ? [] : all("[data-key]", current()).filter((button) => button.dataset.key);
  const keys = buttons.map((one) => (label(one) === one.dataset.key ? label(one) : `${one.dataset.key} ${label(one)}`)).join(", ");
  const { closed, other, none, astray, choose, ...own } = says.dataset;
  const [act, general] = [names.get(key), keys && !isAstray() ? other : none];
  const isElsewhere = buttons.some((one) => one.dataset.key === key);
  const words = isElsewhere ? astray : !now && OF_MESSAGES.includes(act) ? choose : (own[act] ?? general);
  say((closed ?? words).replace("{key}", key).replace("{keys}", keys).replace("{n}", current()?.dataset.message));
}

// `isSame`: the page was drawn again, and the person stays in the phase of the work.
function open(step, isSame = false) {
  if (judge.dataset.step !== step) judge.scrollTop = 0;
  if (!isSame) enter(step === "review" && document.getElementById("submit") ? "submit" : "judge");
  judge.dataset.step = step;
  document.getElementById("acts").elements.step.value = step;
  for (const one of all(".step")) one.classList.toggle("on", one.id === `step-${step}`);
  for (const tab of all("#steps a")) tab.ariaCurrent = tab.dataset.step === step ? "step" : null;
  point();
}

// Go to a step, and to its item to judge, if there is one.
function visit(step = judge.dataset.step) {
  open(step);
  return current() ? go(current()) : document.querySelector("#steps [aria-current]")?.focus();
}

function go(part, mayStay = false) {
  if (!part) return;
  if (part.closest(".step")) open(part.closest(".step").id.slice(5));
  if (part.matches(".item")) {
    document.getElementById("part-judge").checked = true;
    point(part);
  } else if (isIn("submit")) enter("judge"); // the transcript stands beside what is asked
  part.focus({ preventScroll: true });
  show(part); // a part redrawn under the focus has the focus already and announces nothing
  if (!mayStay || part.getBoundingClientRect().top > (2 / 3) * innerHeight) bring(part); // what may stay is seen below a reason
}

// Scroll into view between the sticky parts; for taller elements, show the beginning.
let broughtAt = -Infinity;
function bring(part) {
  broughtAt = performance.now();
  const isTall = part.offsetHeight > Math.min(innerHeight, judge.clientHeight) - 180;
  const block = isTall ? "start" : part.matches(".msg") ? "center" : "nearest";
  part.scrollIntoView({ block });
  requestAnimationFrame(() => part.scrollIntoView({ block })); // messages that come near get their own height
}

// The next open question, in the order of the steps and then from the start, or the last one before; from elsewhere, in the open
// step, as after an answer. Suggested references are one stop for keys, not after an answer; from one of them, arrow keys go on.
function need(from, way, isAsked = true) {
  const items = all(".step .item");
  const at = items.indexOf(from);
  const order = way > 0 ? [...items.slice(at + 1), ...items.slice(0, at + 1)] : items.slice(0, at < 0 ? undefined : at).reverse();
  const stop = isAsked && !atSuggestions() && items.find((item) => item.matches("[data-suggested]"));
  const step = from?.closest(".step");
  if (!isAsked && step) order.sort((one, other) => step.contains(other) - step.contains(one));
  const asking = order.filter((item) => item.matches("[data-needs]") || item === stop);
  return (at < 0 && asking.find((item) => item.closest(".step").id === `step-${judge.dataset.step}`)) || asking[0];
}

// What `,` and `.` go on from: what is asked, or at another message the item on its other side.
const start = (way, before = items().filter((one) => Number(one.dataset.message) < Number(now.slice(8))).length) =>
  isIn("read") ? null : isAstray() ? items()[way > 0 ? before - 1 : before] : current();

function onward(from, isAsked = false) {
  const next = need(from, 1, isAsked) ?? turn("more") ?? (isAsked && !atSuggestions() ? turn("suggested") : null);
  if (!next) open("review");
  return next ? go(next) : document.querySelector("#submit button")?.focus();
}

// Go to another page of a long transcript, by the page's own link.
const turn = (way) => document.querySelector(`[data-turn="${way}"]`)?.click();

const follows = (one, other) => Boolean(other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);

// The heading of the message's round, or of one before or after it.
function heading(way = 0) {
  const heads = all(".roundline");
  return heads[message() ? heads.filter((head) => follows(message(), head)).length - 1 + way : 0];
}

// The message before or after the current one, among those shown.
function beside(way) {
  const now = message();
  if (!now) return messages()[0];
  return way > 0 ? messages().find((one) => follows(one, now)) : messages().findLast((one) => follows(now, one));
}

const round = (way, head = heading(way)) => head && messages().find((one) => follows(one, head));

async function look(position, field) {
  if (isIn("read")) enter("judge");
  const { nonce } = document.getElementById("acts").elements;
  const address = `${location.pathname}?at=${position}&step=${judge.dataset.step}&nonce=${nonce.value}`;
  document.body.dataset.looking = ""; // letters typed before the field appears are meant for it
  await htmx.ajax("GET", address, { target: "#at", swap: "outerHTML" }).catch(() => {});
  delete document.body.dataset.looking;
  if (document.querySelector("#at [data-about]")?.dataset.about !== String(position)) {
    struck = struck.filter((one) => one.isClick);
    typingUntil = Date.now() + PAUSE;
    say(judge.dataset.unloaded.replace("{n}", position));
    return replay();
  }
  const found = all(`#at [data-field="${field}"]`);
  if (field === "missed" && found.length === 1) found[0].click();
  else (found[0] ?? document.querySelector("#at a"))?.focus();
  if (found[0]?.isConnected) found[0].scrollIntoView({ block: "nearest" });
  return replay();
}

function pop(details) {
  if (!details) return false;
  details.open = !details.open;
  if (details.open) uncover(details);
  return ((details.open && details.querySelector("input:not([type=hidden])")) || details.querySelector("summary")).focus();
}

function about(field) {
  const position = here()?.dataset.message ?? message()?.dataset.position;
  return position ? look(position, field) : field === "flag" && pop(document.getElementById("flag"));
}

function reach(field) {
  if (!field) return false;
  uncover(field);
  document.getElementById("part-text").checked = true;
  field.focus();
  return field.matches("textarea") || field.select();
}

const linkTo = (one, page = document.getElementById("acts").elements.page?.value) => // of a long transcript
  `${location.origin}${location.pathname}${page ? `?page=${page}` : ""}#m${one.dataset.position}`;

// Without a clipboard, which browsers allow only with https, show the text to copy by hand.
function copy(what, done) {
  if (!what) return false;
  const shown = () => say(judge.dataset.notCopied.replace("{text}", what));
  return navigator.clipboard?.writeText(what).then(() => say(done.replace("{n}", now.slice(8))), shown) ?? shown();
}

const wait = (key) => { prefix = key; say(judge.dataset.waits.replace("{key}", key)); };
const takeBack = (button = document.querySelector("#undo button:enabled")) => (button ? button.click() : false);

// How far the transcript was read, by keys or scrolling; stored in this browser.
const readKey = `evalsite:read:${document.getElementById("acts").dataset.evaluation}`;
const readUpTo = () => Number(localStorage.getItem(readKey) ?? 0);

// Jumping to a message does not mean that those before it were read: only the next message in order counts.
function remember(first, last = first) {
  if (!first || Number(first.dataset.position) > readUpTo() + 1) return;
  localStorage.setItem(readKey, Math.max(readUpTo(), last.dataset.position));
}

// Read the game alone, where one stopped; or judge, with the game beside it.
function readOrJudge() {
  if (!document.getElementById("go-to")) return false;
  if (isIn("read") || isAstray() || here()?.matches(".msg")) return visit();
  enter("read");
  return go(document.getElementById(`message-${readUpTo()}`) ?? messages()[0]);
}

const text = document.querySelector(".text");
let looked = 0;
text.addEventListener("scroll", () => {
  if (performance.now() - broughtAt < 300) return; // a key scrolled the page; it records itself what was read
  looked ||= setTimeout(() => {
    looked = 0;
    if (!text.matches(":hover, :focus-within")) return;
    const { top, bottom } = text.getBoundingClientRect();
    const seen = messages().filter((one) => one.getBoundingClientRect().bottom > top);
    const last = seen.findLast((one) => one.getBoundingClientRect().bottom <= bottom);
    if (last) remember(seen[0], last);
  }, 150);
});

const moves = {
  next_message: () => go(beside(1) ?? turn("next")),
  last_message: () => go(beside(-1) ?? turn("prev")),
  last_round: () => go(round(-1)),
  next_round: () => go(round(1)),
  next: (key, from = start(1)) => (from && need(from, 1) === from ? false : onward(from, true)),
  previous: (key, before = need(start(-1), -1)) => (before ? go(before) : false),
  change: (key) => (message()?.querySelector("[data-m]") ? wait(key) : false),
  note: () => reach(message()?.querySelector("textarea")),
  phase: readOrJudge,
  submit: () => isIn("submit") && send(),
  find: () => reach(document.getElementById("find")),
  go_to: () => reach(document.getElementById("go-to")),
  copy_text: () => copy(message()?.querySelector(".said").textContent, judge.dataset.textCopied),
  copy_link: () => copy(message() && linkTo(message()), judge.dataset.linkCopied),
  only: () => message()?.dataset.player !== undefined && sieve(alone ? "" : message().dataset.player),
  evidence: () => pop(here()?.querySelector("[data-evidence]") ?? document.getElementById(heading()?.id.replace("round-", "votes-"))),
  undo: () => takeBack(),
  skip: () => pop(document.getElementById("skip")),
  help: () => { sheet.open = !sheet.open; sheet.querySelector(sheet.open ? "div" : "summary").focus(); },
};
for (const field of ["reason", "comment", "flag", "missed"]) moves[field] = () => about(field);

// Do at once what a second act in the forms of the message would do.
function flip(chip) {
  const button = Object.assign(document.createElement("button"), { name: "act", value: chip.dataset.act, hidden: true });
  button.setAttribute("form", "acts");
  chip.after(button);
  button.click();
  button.remove();
}

// The second press of a key that submitted is for the page before, not for the game that came.
const isDouble = () => isIn("read") || (location.search.includes("submitted=") && performance.now() < PAUSE);
const send = () => !isDouble() && document.querySelector("#submit button")?.click();

// Every letter and number does something: it acts on the current item, moves, or says why it does neither.
function press(key) {
  says.replaceChildren();
  if (prefix) {
    const both = `${prefix} ${key}`;
    prefix = "";
    const chip = message()?.querySelector(`[data-m="${CSS.escape(key)}"]`);
    return chip ? flip(chip) : names.get(key) === "undo" && takeBack() !== false ? undefined : explain(both);
  }
  const own = isIn("read") || isAstray() ? null : current()?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const button = own ?? all(`[data-keys="${CSS.escape(key)}"]`).find((one) => one.checkVisibility());
  if (button) return button.click();
  const move = moves[names.get(key)];
  return move && move(key) !== false ? undefined : explain(key);
}

const isKey = (key) => /^[a-z0-9]$/.test(key) || names.has(key);

// Space presses the focused element, also while an answer is awaited; if a field is loading, it is typed there.
const isPress = ({ key, target }) => key === " " && !("looking" in document.body.dataset) && target.matches("button, summary, a, input");

// A key acts at once; while an answer is awaited, it waits and then acts on what has the focus.
function strike(key, act, isClick = false) {
  if (key && Date.now() < typingUntil) typingUntil = Date.now() + PAUSE;
  else if (isBusy()) struck.push({ key, act, isClick });
  else act();
}

function replay() {
  while (struck.length && !isBusy()) {
    const { key, act } = struck.shift();
    if (key && document.activeElement.matches("input:not([type]), textarea")) document.execCommand("insertText", false, key);
    else act();
  }
}

function leave(target) {
  const isSearch = target.closest("#findbar, #found");
  const opened = all("details.pop[open]");
  for (const details of opened) details.open = false;
  if (!isSearch && !opened.length && !target.closest("input, textarea, #at")) return;
  document.getElementById(isSearch ? "found" : "at").replaceChildren();
  const left = target.closest(".item") ?? (target.matches("textarea") ? document.getElementById(asked) : null);
  go(left ?? document.getElementById(place) ?? message() ?? items()[0]);
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.isComposing || event.repeat || event.getModifierState("AltGraph") || document.getElementById("signin").open) return;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (target.matches("textarea")) target.blur(); // saves the typed text first
    return strike("", send);
  }
  if (event.ctrlKey || event.metaKey) return;
  // Text typed before its field appeared is also sent by an Enter pressed before that.
  if (key === "Enter" && "looking" in document.body.dataset) {
    event.preventDefault();
    return strike("", () => document.activeElement.form?.querySelector("button").click());
  }
  const tab = event.altKey && /^Digit[1-9]$/.test(event.code) && all("#steps a")[event.code.at(-1) - 1];
  if (tab) {
    event.preventDefault();
    strike("", () => visit(tab.dataset.step));
  }
  if (event.altKey) return;
  if (key === "Escape") leave(target);
  if (target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) return;
  const way = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (way && !isIn("read") && !target.matches("[type=radio], #keysheet *, #menu *")) {
    event.preventDefault();
    strike("", () => go(items()[items().indexOf(current()) + way]));
  } else if (single.checked && (isKey(key.toLowerCase()) || (isBusy() && key.length === 1 && !isPress(event)))) {
    event.preventDefault();
    strike(key, () => isKey(key.toLowerCase()) && press(key.toLowerCase()));
  }
});

function show(target) {
  const [item, said] = [target.closest(".item"), target.closest(".msg")];
  const part = item ?? said;
  if (!part || part.matches(FOLDED)) return;
  const about = item ? item.dataset.message : said.id.slice(8);
  const meant = item ?? (isIn("read") ? null : current(about));
  place = part.id;
  asked = meant?.id ?? asked;
  if (meant) point();
  if (!about) return;
  const shown = said ?? document.getElementById(`message-${about}`); // unless it is on another page
  now = shown?.id ?? "";
  light();
  if (!shown) return;
  if (target === shown) remember(shown);
  // Of folded responses, the current one is open; a summary is opened and closed by its own click.
  const fold = shown.querySelector("details[name]");
  if (fold && !target.closest("summary")) fold.open = true;
  if (item && text.checkVisibility()) shown.scrollIntoView({ block: "center", container: "nearest" });
  if (!item) meant?.scrollIntoView({ block: "nearest" });
  if (meant && target === part) for (const one of all("#judge [data-evidence]")) one.open = one.closest(".item") === meant;
}
document.addEventListener("focusin", (event) => show(event.target));

// Set the focus after an act; a person who has gone on already is not moved.
function settle({ act, status, redrawn }) {
  const first = document.querySelector("#answer [data-first]")?.dataset;
  const from = document.getElementById(act.from);
  const [kind, subject, , value] = (act.fields.act ?? "").split("~");
  if (act.held && status) return document.activeElement === document.body && go(document.getElementById(place));
  if (status >= 400) {
    struck = struck.filter((one) => one.isClick); // keys were meant for what did not come
    return first && go(document.getElementById(first.first));
  }
  const isAbove = !act.from && act.fields.text === undefined; // pressed in the forms of a message
  if (isAbove || ["comment", "flag", "missed"].includes(kind)) document.getElementById("at").replaceChildren();
  if (kind === "flag") for (const id of ["flag", "menu"]) document.getElementById(id)?.removeAttribute("open");
  if (act.whole === "undo") return go(document.getElementById(redrawn) ?? from ?? here());
  if (kind === "statement" && value) return go(document.querySelector(`#${act.from} ~ [data-open]`) ?? from);
  if (kind === "missed") return go(document.querySelector(`[value^="reference~${subject}~"]`)?.closest(".item"));
  if ((act.needed && kind !== "rating") || subject?.startsWith("suggestions")) return onward(from);
  return go((from && here()) ?? from ?? document.getElementById(place) ?? message());
}

document.addEventListener("act:over", ({ detail }) => {
  open(judge.dataset.step, true);
  if (alone) sieve(alone); // messages that were redrawn
  light();
  if (detail.status === 200) document.getElementById("heard").textContent = document.getElementById("saved-at")?.textContent ?? "";
  settle(detail);
  if (here()?.matches(".item")) bring(here()); // parts redrawn above may have moved it
  point();
  queueMicrotask(replay); // a form does not submit again while it submits
});

// Parts drawn again show the item that is asked before they are painted; htmx tells of each part several times.
document.body.addEventListener("htmx:oobAfterSwap", () => { pointing ??= Promise.resolve().then(() => { pointing = null; point(); }); });

document.addEventListener("click", (event) => {
  for (const one of all("details.pop[open]")) one.open = one.contains(event.target) || all("[name=text]", one).some((field) => field.value);
  const folded = event.target.closest(FOLDED);
  if (folded && !event.target.closest("a:not(.edit)")) { event.preventDefault(); return go(folded); }
  const link = event.target.closest("[data-step], [data-at], [data-isolate], [data-close], [data-go], [data-press], a[href*='#m']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link === judge) return;
  const { step, at, field, isolate, close, go: where, press: key } = link.dataset;
  if (link.hash?.startsWith("#m") && !close) bare(link.hash.slice(1));
  if (!(step || at || isolate !== undefined || close || where || key)) return;
  event.preventDefault();
  if (key) strike(key, () => press(key));
  if (step) strike("", () => { open(step); show(current() ?? judge); }, true); // an answer that is awaited would open its own step again
  if (at) look(at, field ?? "missed-none");
  if (close) { document.getElementById(close).replaceChildren(); go(message()); }
  if (where) go(document.getElementById(where));
  if (isolate !== undefined) sieve(isolate === alone ? "" : isolate);
});

// Show only the messages of one agent, by the agent's number; "" shows all. Hidden messages keep their numbers.
function sieve(player) {
  alone = player;
  for (const link of all("#map [data-isolate]")) link.ariaCurrent = alone && link.dataset.isolate === alone ? "true" : null;
  const note = document.getElementById("only");
  const says = note.querySelector("[data-says]");
  const text = alone && says.dataset.says.replace("{name}", document.querySelector(`#map [data-isolate="${alone}"] .name`).textContent);
  if (says.textContent !== text) says.textContent = text; // rewritten text would be read out again
  note.hidden = !alone;
  for (const one of all(".msg")) one.hidden = Boolean(alone) && one.dataset.player !== alone;
  message()?.scrollIntoView({ block: "nearest" });
}

// A message that a link leads to is shown, whatever hides it.
function bare(id) {
  const part = document.getElementById(id)?.closest(".msg");
  document.getElementById("part-text").checked = true;
  document.getElementById("menu")?.removeAttribute("open");
  if (isIn("submit")) enter("judge");
  if (part?.hidden) sieve("");
  return part;
}

// Go to a message by its number; if another page of a long transcript holds it, the form leads there.
document.getElementById("go-to-message")?.addEventListener("submit", (event) => {
  const part = bare(`m${Number(event.target.elements.message.value)}`);
  if (part) event.preventDefault();
  go(part);
});

// Search results appear in place: Tab and Enter go on from the first message.
document.body.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.id !== "found") return;
  bare("");
  (document.querySelector("#found [data-found]") ?? document.querySelector("#found h2"))?.focus();
});

// A new game is read from where one stopped; else the first item to judge has the focus, or what a lead named, below the reason.
function begin() {
  if (isIn("read")) {
    const last = document.getElementById(`message-${readUpTo()}`);
    now = messages()[0]?.id ?? "";
    return last ? go(last) : text.focus({ preventScroll: true });
  }
  const named = "named" in judge.dataset ? (document.getElementById(judge.dataset.named) ?? items()[0]) : null;
  const first = named ?? ["[data-needs]", "[data-suggested]", ".item"].flatMap((mark) => items().filter((one) => one.matches(mark)))[0];
  if (!first) return document.querySelector("#steps [aria-current]")?.focus();
  return "fresh" in judge.dataset ? first.focus({ preventScroll: true }) : go(first, Boolean(named) && !text.checkVisibility());
}

const target = document.getElementById(location.hash.slice(1))?.closest(".item, .msg");
const elsewhere = /^#m(\d+)$/.exec(location.hash)?.[1];
if (target) go(target);
else if (elsewhere && document.getElementById("go-to")) location.replace(`${location.pathname}?message=${elsewhere}`);
else if (document.querySelector("#found > *")) document.querySelector("#found a").focus();
else if (!document.querySelector("#at > *")) begin();
