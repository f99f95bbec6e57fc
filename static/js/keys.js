// Moving, judging and looking up by keyboard. Focus is the browser's own; keys press the buttons that print them.
const judge = document.getElementById("judge");
const sheet = document.getElementById("keysheet");
const single = document.getElementById("single-keys");
const store = "evalsite:single-keys";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const here = () => document.activeElement?.closest(".item, .msg");
const message = () => document.getElementById(now);
const messages = () => all(".msg:not([hidden])");
const items = () => all(`#step-${judge.dataset.step} .item`);
let prefix = "";
let now = ""; // the id of the message that is spoken of: the element may be redrawn
let asked = ""; // the id of the item that had the focus last

single.checked = (localStorage.getItem(store) ?? single.dataset.default) === "on";
single.addEventListener("change", () => localStorage.setItem(store, single.checked ? "on" : "off"));

function open(step) {
  if (judge.dataset.step !== step) judge.scrollTop = 0;
  judge.dataset.step = step;
  document.getElementById("acts").elements.step.value = step;
  for (const tab of all("#steps a")) {
    if (tab.dataset.step === step) tab.setAttribute("aria-current", "step");
    else tab.removeAttribute("aria-current");
  }
}

function go(part) {
  if (!part) return;
  const step = part.closest(".step");
  if (step) open(step.id.slice(5));
  if (part.matches(".item")) document.getElementById("part-judge").checked = true;
  part.focus({ preventScroll: true });
  show(part); // a part redrawn under the focus is focused already and says nothing
  part.scrollIntoView({ block: part.matches(".msg") ? "center" : "nearest" });
}

// The next thing that asks, in the steps' order and from the start again; from elsewhere first in the open step.
function need(from, way) {
  const items = all(".step .item");
  const at = items.indexOf(from);
  const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  if (way < 0) order.reverse().push(...order.splice(0, at < 0 ? 0 : 1));
  const asking = order.filter((item) => item.matches("[data-needs]"));
  const near = at < 0 && asking.find((item) => item.closest(".step").id === `step-${judge.dataset.step}`);
  return near || asking[0];
}

function onward(from) {
  const next = need(from, 1) ?? turn("more");
  if (!next) open("review");
  return next ? go(next) : document.querySelector("#submit button")?.focus();
}

function near(list, from, way) {
  const at = list.indexOf(from);
  return at < 0 ? list[0] : list[at + way];
}

// To another page of a long transcript, by the page's own link.
const turn = (way) => document.querySelector(`[data-turn="${way}"]`)?.click();

const follows = (one, other) => Boolean(other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);

// The heading of the round that the message stands in, or of one before or after it.
function heading(way = 0) {
  const heads = all(".roundline");
  return heads[message() ? heads.filter((head) => follows(message(), head)).length - 1 + way : 0];
}

const round = (way, head = heading(way)) => head && messages().find((one) => follows(one, head));

async function look(position, field) {
  const { nonce } = document.getElementById("acts").elements;
  const address = `${location.pathname}?at=${position}&step=${judge.dataset.step}&nonce=${nonce.value}`;
  document.body.dataset.busy = ""; // letters typed before the field is there are no keys
  await htmx.ajax("GET", address, { target: "#at", swap: "outerHTML" }).catch(() => {});
  delete document.body.dataset.busy;
  const found = all(`#at [data-field="${field}"]`);
  if (field === "missed" && found.length === 1) return found[0].click();
  (found[0] ?? document.querySelector("#at a"))?.focus();
  return found[0]?.scrollIntoView({ block: "nearest" });
}

function pop(id) {
  const details = document.getElementById(id);
  if (!details) return;
  details.open = !details.open;
  (details.open ? details.querySelector("input:not([type=hidden])") : details.querySelector("summary")).focus();
}

function evidence() {
  const own = here()?.querySelector("[data-evidence]");
  const details = own ?? document.getElementById(heading()?.id.replace("round-", "votes-"));
  if (!details) return;
  details.open = !details.open;
  details.querySelector("summary").focus();
}

function about(field) {
  if (message()?.dataset.position) look(message().dataset.position, field);
  else if (field === "flag") pop("flag");
}

function note() {
  const field = message()?.querySelector("textarea");
  if (!field) return;
  document.getElementById("part-text").checked = true;
  show(field);
  field.focus();
}

const moves = {
  j: () => go(near(messages(), message(), 1) ?? turn("next")),
  k: () => go(near(messages(), message(), -1) ?? turn("prev")),
  "[": () => go(round(-1)),
  "]": () => go(round(1)),
  ".": () => onward(here()),
  ",": () => go(need(here(), -1)),
  m: () => { if (message()?.querySelector("[data-m]")) prefix = "m"; },
  n: note,
  e: evidence,
  r: () => about("reason"),
  w: () => about("comment"),
  f: () => about("flag"),
  u: () => document.querySelector("#undo button:enabled")?.click(),
  s: () => pop("skip"),
  "+": () => about("missed"),
  "?": () => { sheet.open = !sheet.open; sheet.querySelector("summary").focus(); },
};

function press(key) {
  if (prefix) {
    prefix = "";
    message()?.querySelector(`[data-m="${CSS.escape(key)}"]`)?.click();
    return true;
  }
  const button = here()?.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? document.querySelector(`[data-keys="${CSS.escape(key)}"]`);
  if (button) button.click();
  else if (Object.hasOwn(moves, key)) moves[key]();
  else return false;
  return true;
}

function leave(target) {
  const opened = all("details.pop[open]");
  for (const details of opened) details.open = false;
  if (!opened.length && !target.closest("input, textarea, #at")) return;
  document.getElementById("at").replaceChildren();
  const left = target.closest(".item") ?? (target.matches("textarea") ? document.getElementById(asked) : null);
  go(left ?? message() ?? items()[0]);
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.isComposing || event.repeat || event.getModifierState("AltGraph") || document.getElementById("signin").open) return;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (target.matches("textarea")) target.blur(); // what was typed is saved first
    document.querySelector("#submit button")?.click();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape") leave(target);
  if (target.matches("input:not([type=checkbox]), textarea, select")) return;
  const way = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!way && !single.checked) return;
  if ("busy" in document.body.dataset) return;
  if (way ? (go(near(items(), here(), way)), true) : press(key.toLowerCase())) event.preventDefault();
});

function show(target) {
  const item = target.closest(".item");
  const shown = target.closest(".msg") ?? document.getElementById(`message-${item?.dataset.message}`);
  if (!shown) return;
  message()?.classList.remove("now");
  now = shown.id;
  shown.classList.add("now");
  // Of folded responses the one that is spoken of is open; a summary is opened and closed by its own click.
  const fold = shown.querySelector("details[name]");
  if (fold && !target.closest("summary")) fold.open = true;
  if (!item) return;
  asked = item.id;
  if (document.querySelector(".text").checkVisibility()) shown.scrollIntoView({ block: "center" });
  if (target === item) for (const one of all("#judge [data-evidence]")) one.open = one.closest(".item") === item;
}
document.addEventListener("focusin", (event) => show(event.target));

document.addEventListener("act:settled", ({ detail: { act, status, redrawn } }) => {
  open(judge.dataset.step);
  message()?.classList.add("now");
  const first = document.querySelector("#answer [data-first]")?.dataset;
  const from = document.getElementById(act.from);
  const [kind, subject] = (act.fields.act ?? "").split("~");
  if (status >= 400) return first && go(document.getElementById(first.first));
  if (act.held && status) return;
  if (["comment", "flag", "missed"].includes(kind)) document.getElementById("at").replaceChildren();
  if (act.whole === "undo") return go(document.getElementById(redrawn) ?? from ?? here());
  if (kind === "missed") return go(document.querySelector(`[value^="reference~${subject}~"]`)?.closest(".item"));
  if (act.needed && kind !== "rating") return onward(from);
  return go(from ?? message());
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-step], [data-at], [data-isolate], [data-close], [data-go], a[href^='#message-']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link === judge) return;
  const { step, at, isolate, close, go: where } = link.dataset;
  if (link.hash?.startsWith("#message-") && !close) document.getElementById("part-text").checked = true;
  if (!(step || at || isolate || close || where)) return;
  event.preventDefault();
  if (step) open(step);
  if (at) look(at, "missed-none");
  if (close) { document.getElementById(close).replaceChildren(); go(message()); }
  if (where) go(document.getElementById(where));
  if (isolate) only(link, isolate);
});

function only(link, player) {
  const isOn = link.getAttribute("aria-current") === "true";
  for (const other of all("[data-isolate]")) other.removeAttribute("aria-current");
  if (!isOn) link.setAttribute("aria-current", "true");
  for (const one of all(".msg")) one.hidden = !isOn && one.dataset.player !== player;
}

const target = document.getElementById(location.hash.slice(1));
if (target?.matches(".item, .msg")) go(target);
else if (!document.querySelector("#at > *")) go(items().find((item) => item.matches("[data-needs]")) ?? items()[0]);
