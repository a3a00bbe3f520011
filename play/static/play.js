// A seat at a table: shows what the server sends, and sends what is chosen.

import { actionsAt, draw, light, named, tell } from "./board.js";

const token = new URLSearchParams(location.search).get("token") ?? "";
const $ = (id) => document.getElementById(id);
const GONE = "The table cannot be reached";
let state = null;
let moments = [];
let hints = {};
let asking = null;
let advisor = null; // the agent that has been asked for hints
let again = false;
let chosenAt = null; // the number of the decision whose choice is on its way
let offered = { number: -1, actions: [] }; // what the piece means that was clicked last, at which decision

async function post(what, fields = {}) {
  try {
    const answer = await fetch(`api/${what}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, ...fields }),
    });
    const body = await answer.json();
    if (!answer.ok) say(body.error);
    return answer.ok ? body : null;
  } catch {
    say(GONE);
    return null;
  }
}

async function get(since) {
  const answer = await fetch(`api/state?since=${since}&token=${encodeURIComponent(token)}`);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

/** Asks for the state until nothing has changed since it was asked for. */
function refresh() {
  again = true;
  asking ??= ask().finally(() => { asking = null; });
  return asking;
}

async function ask() {
  try {
    while (again) {
      again = false;
      const known = moments.length;
      let next = await get(known);
      // The same game as before has gone on by as many moves as it was changed; otherwise the log is read anew.
      if (known && (!state || next.revision - next.number !== state.revision - state.number)) next = await get(0);
      moments = [...moments.slice(0, next.since), ...next.events];
      const isNew = !state || next.revision !== state.revision;
      if (isNew) hints = {};
      state = next;
      if (isNew) show();
      else say(status());
    }
  } catch (error) {
    say(error instanceof TypeError ? GONE : error.message); // fetch says so of a server that does not answer
  }
}

function say(text) { $("status").textContent = text; }

function show() {
  document.title = `${state.title}${state.moves.length ? " – your turn" : ""}`;
  $("title").textContent = state.title;
  draw($("board"), state.svg);
  showMoves();
  tell($("log"), moments, state.names);
  $("log").scrollTop = $("log").scrollHeight;
  $("undo").disabled = !state.may_undo;
  $("undo").hidden = typeof state.seat !== "number" || state.people.length > 1;
  $("new").disabled = state.seat === "public" || (state.people.length > 1 && !state.over);
  $("naming").hidden = typeof state.seat !== "number";
  if (typeof state.seat === "number" && document.activeElement !== $("name")) $("name").value = state.names[state.seat];
  const agents = state.hints.join();
  if ($("agent").dataset.names !== agents) {
    $("agent").dataset.names = agents;
    $("agent").replaceChildren(...state.hints.map((name) => new Option(name)));
  }
  say(status());
  if ($("hints").checked && state.moves.length && !Object.keys(hints).length) askHints();
}

function status() {
  if (state.trouble) return state.trouble;
  if (state.over) return named(moments.at(-1).at(-1)?.text ?? "the game is over", state.names);
  if (state.moves.length)
    return advisor ? `It is your turn; ${advisor} looks for hints, the first time with machine code to be made` : "It is your turn";
  const who = state.names[state.to_act];
  if (state.compiling) return `${who} gets ready: machine code is being made, this happens once`;
  return state.thinking ? `${who} is thinking …` : `${who} is to act`;
}

function showMoves() {
  const focused = document.activeElement?.closest?.("#moves button")?.dataset.action;
  $("moves").replaceChildren(...state.moves.map((move, place) => {
    const line = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.action = move.action;
    button.disabled = chosenAt === state.number;
    button.classList.toggle("offered", offered.number === state.number && offered.actions.includes(move.action));
    if (place < 9) button.title = `key ${place + 1}`;
    const words = document.createElement("span");
    words.textContent = named(move.text.replace(/^player \d+ /i, ""), state.names);
    button.append(...hintOf(move.action), words);
    line.append(button);
    return line;
  }));
  $("moves-title").textContent = state.moves.length ? `Your moves (${state.moves.length})` : "Your moves";
  if (focused !== undefined) (buttonOf(focused) ?? $("moves").querySelector("button"))?.focus();
}

function hintOf(action) {
  const hint = hints[action];
  if (!hint) return [];
  const bar = document.createElement("span");
  bar.className = "bar";
  bar.style.width = `${Math.round(100 * hint.share)}%`;
  const figures = document.createElement("span");
  figures.className = "figures";
  const parts = [`${Math.round(100 * hint.share)} %`];
  if (hint.visits !== undefined) parts.push(`${hint.visits} visits`);
  if (hint.value !== undefined) parts.push(`value ${hint.value.toFixed(2)} ± ${hint.error.toFixed(2)}`);
  figures.textContent = parts.join(", ");
  return [bar, figures];
}

async function askHints() {
  advisor = $("agent").value || state.hints[0];
  say(status());
  const answer = await post("hints", { agent: advisor });
  advisor = null;
  if (answer) say(status());
  if (answer && answer.number === state.number) {
    hints = answer.hints;
    showMoves();
  }
}

async function choose(action) {
  const { number } = state;
  if (chosenAt === number) return;
  chosenAt = number;
  for (const button of $("moves").querySelectorAll("button")) button.disabled = true;
  await post("move", { action, number });
  await refresh(); // a state that was asked for before the move may still arrive until here
  if (chosenAt === number) chosenAt = null;
  if (state.number === number) showMoves();
}

function buttonOf(action) { return $("moves").querySelector(`button[data-action="${action}"]`); }

$("moves").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button && !button.disabled) choose(Number(button.dataset.action));
});
for (const kind of ["mouseover", "focusin"])
  $("moves").addEventListener(kind, (event) => light($("board"), event.target.closest("button")?.dataset.action));
$("moves").addEventListener("mouseleave", () => light($("board")));

$("board").addEventListener("click", (event) => {
  const actions = actionsAt(event.target).filter((action) => buttonOf(action)?.disabled === false);
  offered = { number: state?.number ?? -1, actions: actions.length > 1 ? actions : [] };
  for (const button of $("moves").querySelectorAll("button"))
    button.classList.toggle("offered", offered.actions.includes(Number(button.dataset.action)));
  if (actions.length === 1) choose(actions[0]);
  else if (actions.length) buttonOf(actions[0]).focus();
});
$("board").addEventListener("mouseover", (event) => {
  const actions = actionsAt(event.target);
  for (const button of $("moves").querySelectorAll("button"))
    button.classList.toggle("lit", actions.includes(Number(button.dataset.action)));
  const moves = state?.moves.filter((move) => actions.includes(move.action)) ?? [];
  $("tip").textContent = moves.map((move) => named(move.text, state.names)).join(" · ");
});

$("undo").addEventListener("click", () => post("undo"));
$("new").addEventListener("click", () => post("new"));
$("hints").addEventListener("change", () => {
  hints = {};
  if ($("hints").checked && state?.moves.length) askHints(); else showMoves();
});
$("agent").addEventListener("change", () => { if ($("hints").checked) askHints(); });
$("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  post("name", { name: $("name").value });
});

addEventListener("keydown", (event) => {
  if (event.target.closest?.("input:not([type=checkbox]), select") || event.ctrlKey || event.metaKey || event.altKey || !state) return;
  const buttons = [...$("moves").querySelectorAll("button")];
  if (/^[1-9]$/.test(event.key) && buttons[event.key - 1]) choose(Number(buttons[event.key - 1].dataset.action));
  else if (event.key === "u" && state.may_undo) post("undo");
  else if (event.key === "h") $("hints").click();
  else if (event.key === "n" && state.over && !$("new").disabled) post("new");
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const place = buttons.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    buttons.at(Math.max(place, 0) % Math.max(buttons.length, 1))?.focus();
    event.preventDefault();
  }
});

const stream = new EventSource(`api/stream?token=${encodeURIComponent(token)}`);
stream.onmessage = refresh;
// A guest who has seen nothing yet is told by the answer to `get` why.
stream.onerror = () => { if (state) say(GONE); };
refresh();
