// Acts are kept in the browser until the server has stored them, sent one at a time in order, and resent unchanged.
const form = document.getElementById("acts");
const unsent = document.getElementById("unsent");
const store = `evalsite:acts:${form.dataset.evaluation}`;
const later = new Set([408, 425, 429, 500, 502, 503, 504]);
const done = new Set([200, 204, 409, 422]);
const queue = JSON.parse(localStorage.getItem(store) ?? "[]");
let [sending, leaving, paused, isSignedOut] = [false, false, false, false];
let tries = 0;
let timer = 0;
let redrawn = "";

function keep() {
  if (queue.length) localStorage.setItem(store, JSON.stringify(queue));
  else localStorage.removeItem(store);
}

const isAway = () => tries > 0 || paused || isSignedOut;

// What the page says of acts being sent: "wait" when the answer moves the focus, so that keys wait for it, too.
function tell() {
  if (!queue.length || isAway()) delete document.body.dataset.busy;
  else document.body.dataset.busy = queue.some((act) => !act.held) ? "wait" : "sent";
  unsent.hidden = !queue.length || !isAway();
  unsent.textContent = unsent.dataset.says.replace("0", queue.length);
}

// The version is read when the act is first sent: an act waiting before it may have raised it.
function body(act) {
  const fields = new URLSearchParams();
  if (act.whole) {
    act.fields.key = document.querySelector(`#${act.whole} [name=key]`)?.value ?? act.fields.key;
    for (const [name, value] of Object.entries(act.fields)) fields.append(name, value);
    return fields.toString();
  }
  const [kind, subject, shown, value] = act.fields.act.split("~");
  const same = [...document.getElementsByName("act")].filter((one) => one.value.startsWith(`${kind}~${subject}~`));
  const version = Math.max(shown, ...same.map((one) => one.value.split("~")[2]));
  const once = act.fields.text === undefined ? "" : `:${Date.now().toString(36)}`;
  const key = `${form.elements.nonce.value}:${kind}:${subject}:${version}${once}`;
  for (const [name, what] of Object.entries({ kind, subject, version, value, key })) fields.append(name, what);
  for (const name of ["step", "page"]) if (act.fields[name]) fields.append(name, act.fields[name]);
  if (act.fields.text !== undefined) fields.append("text", act.fields.text);
  return fields.toString();
}

// A text or choice saved by a button is in the button's own part of the page, with the name of its act.
function typed(submitter, fields) {
  const group = submitter?.closest(".typed");
  const text = group?.querySelector("[name^='text~']");
  const chosen = group?.querySelector("[name^='value~']");
  if (text) fields.text = text.value;
  if (chosen) fields.act = fields.act.replace(/\*$/, chosen.value);
  return [text, chosen].every((field) => !field?.required || field.reportValidity());
}

function add(source, submitter, held = !submitter) {
  if (leaving) return; // the page gives way to another
  const part = submitter?.closest(".item, .msg") ?? document.activeElement?.closest(".item, .msg");
  const fields = Object.fromEntries([...new FormData(source, submitter)].filter(([name]) => !name.includes("~")));
  delete fields.csrfmiddlewaretoken;
  if (!typed(submitter, fields)) return;
  const whole = (submitter ?? source).closest("[data-whole]")?.id ?? "";
  const bare = fields.act ? strip(fields.act) : whole;
  if (fields.text === undefined && queue.at(-1)?.bare === bare) return; // the second of two clicks
  if (submitter?.ariaPressed && isSaid(bare, submitter)) return;
  const needed = Boolean(part?.contains(submitter) && part.matches("[data-needs]"));
  const before = part?.querySelector("[aria-pressed=true]")?.value ?? "";
  // Without a button it was saved on leaving the field: leave the focus where the person went.
  const url = submitter?.hasAttribute("formaction") ? submitter.formAction : source.action;
  queue.push({ url, fields, whole, bare, from: part?.id ?? "", needed, before, held });
  part?.classList.add("sending");
  const undo = document.querySelector("#undo button");
  if (undo) Object.assign(undo, { disabled: false, title: "" });
  const goesOn = needed && isAnswer(submitter, fields) && document.querySelectorAll(".item[data-needs]").length > 1;
  if (isAway() || goesOn) hold(queue.at(-1));
  keep();
  tell();
  if (!isAway()) send();
}

// An act without the version it was based on.
const strip = (value) => value.replace(/~\d+~([^~]*)$/, "~$1");

// Whether pressing it repeats the present answer: that of the last queued act on the subject, else that of the page.
function isSaid(bare, submitter) {
  if (bare.endsWith("~")) return false;
  const about = bare.slice(0, bare.lastIndexOf("~") + 1);
  const last = queue.findLast((act) => act.whole === "undo" || act.bare.startsWith(about));
  return last ? last.bare === bare : submitter.ariaPressed === "true";
}

// One press answers it, and the next question is on the page already: nobody has to wait for the server.
const isAnswer = (button, { act, text }) => button.hasAttribute("aria-pressed") && text === undefined && !act.startsWith("rating~");

// The person goes on; do not move the focus again when the act is stored.
function hold(act) {
  act.held = true;
  redrawn = "";
  mark(act);
  announce(act, 0);
}

// Show the item as it will be once the server has stored the act.
function mark(act) {
  const part = document.getElementById(act.from);
  if (!part) return;
  part.classList.add("sending");
  part.removeAttribute("data-needs");
  for (const one of part.querySelectorAll("[aria-pressed]")) one.ariaPressed = String(strip(one.value) === act.bare);
}

// The server refused: show the item as it was before the act.
function unmark(act) {
  const part = document.getElementById(act.from);
  if (!part || !act.held) return;
  if (act.needed) part.setAttribute("data-needs", "");
  for (const one of part.querySelectorAll("[aria-pressed]")) one.ariaPressed = String(act.before && strip(one.value) === strip(act.before));
}

function announce(act, status) {
  tell();
  document.dispatchEvent(new CustomEvent("act:over", { detail: { act, status, redrawn } }));
}

function swap(target, html) {
  redrawn = "";
  return new Promise((resolve) => {
    htmx.swap(target, html, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 }, { afterSettleCallback: resolve });
  });
}

function again() {
  timer = setTimeout(send, Math.min(5000, 300 * 2 ** tries));
  tries += 1;
  for (const act of queue.filter((one) => !one.held)) hold(act);
  keep();
}

async function send() {
  clearTimeout(timer);
  if (sending || !queue.length || document.getElementById("signin").open) return;
  sending = true;
  paused = isSignedOut = false;
  const act = queue[0];
  act.body ??= body(act);
  keep();
  tell();
  const answer = await post(act);
  const isLater = !answer || later.has(answer.status);
  const goesOn = isLater ? again() : await take(act, answer);
  sending = false;
  tell();
  if (goesOn) send();
}

async function post(act) {
  const headers = { "HX-Request": "true", "HX-Target": "answer" };
  headers["X-CSRFToken"] = form.elements.csrfmiddlewaretoken.value;
  headers["Content-Type"] = "application/x-www-form-urlencoded";
  const settings = { method: "POST", body: act.body, headers, redirect: "manual", signal: AbortSignal.timeout(10000) };
  try {
    const answer = await fetch(act.url, settings);
    return { status: answer.status, headers: answer.headers, type: answer.type, html: await answer.text() };
  } catch {
    return null;
  }
}

async function take(act, answer) {
  tries = 0;
  const elsewhere = answer.headers.get("HX-Redirect");
  if (answer.status === 401) {
    isSignedOut = true;
    if (!document.getElementById("signin").open) await swap("#signin", answer.html);
    return false;
  }
  if (!done.has(answer.status) && answer.type !== "opaqueredirect") return refuse(act, answer);
  queue.shift();
  keep();
  if (elsewhere || answer.type === "opaqueredirect") {
    leaving = true;
    if (elsewhere) location.assign(elsewhere);
    else location.reload();
    return false;
  }
  document.getElementById(act.from)?.classList.remove("sending");
  await swap("#answer", answer.html);
  if (answer.status === 422) unmark(act);
  for (const waiting of queue.filter((one) => one.held)) mark(waiting); // redrawn parts do not show it yet
  announce(act, answer.status);
  return true;
}

// Refused, and not to be resent automatically: it stays until the person sends it again or discards it.
async function refuse(act, answer) {
  paused = true;
  await swap("#answer", answer.html);
  offerToForget();
  announce(act, answer.status);
  return false;
}

function offerToForget() {
  const note = document.querySelector("#answer > *");
  if (!paused || !queue.length || !note || note.querySelector("[data-forgets]")) return;
  const forget = Object.assign(document.createElement("button"), { type: "button", className: "button small" });
  forget.textContent = unsent.dataset.forget;
  forget.dataset.forgets = "";
  forget.addEventListener("click", () => {
    queue.shift();
    document.getElementById("answer").replaceChildren();
    paused = false;
    keep();
    tell();
    send();
  });
  note.append(forget);
}

// The answer to a renewal that was sent before the refusal may arrive after it and replace its note.
new MutationObserver(offerToForget).observe(document.getElementById("answer"), { childList: true });

// The second click of a double click would answer the item that has taken the place of the first.
document.addEventListener("click", (event) => event.detail > 1 && event.target.closest("[form=acts]") && event.preventDefault());
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.act")) return;
  event.preventDefault();
  add(event.target, event.submitter);
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-autosave]")) add(form, event.target.closest(".typed").querySelector("button"), true);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches("[data-enter]")) return;
  event.preventDefault();
  event.target.closest(".typed").querySelector("button").click();
});
document.body.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.target.matches?.(".item")) redrawn = event.target.id;
});
document.body.addEventListener("signed-in", () => setTimeout(send));
window.addEventListener("beforeunload", (event) => {
  if (queue.length && !leaving) event.preventDefault();
});
unsent.addEventListener("click", send);
for (const act of queue.filter((one) => one.held)) mark(act);
tell();
send();
