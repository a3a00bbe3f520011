// A replay: slider, arrow keys, speed, whose view, and the place in the address (#move=31).

const replay = JSON.parse(document.getElementById("replay").textContent);
const $ = (id) => document.getElementById(id);
const COLOURS = ["#2b6cd4", "#d03a4f", "#0b9b83", "#b8760f", "#8a55c4", "#6d7c88", "#c04a86"];
const last = replay.actors.length - 1;
let now = 0;
let timer = null;

function fromAddress() {
  const place = /(?:^#|&)move=(\d+)/.exec(location.hash);
  return place ? Math.min(Number(place[1]), last) : 0;
}

function view() { return replay.views[$("viewer").value]; }

function show(place, { write = true } = {}) {
  now = Math.max(0, Math.min(place, last));
  draw($("board"), view().pictures[now].map((line) => replay.lines[line]).join("\n"));
  $("slider").value = now;
  const told = view().events[now];
  const words = told.map((event) => named(event.text, replay.names)).join(" · ");
  $("status").textContent = `Move ${now} of ${last}${words ? `: ${words}` : ""}`;
  for (const line of $("log").querySelectorAll(".now")) line.classList.remove("now");
  const lines = $("log").querySelectorAll(`[data-number="${now}"]`);
  for (const line of lines) line.classList.add("now");
  if (lines[0]) $("log").scrollTop = lines[0].offsetTop - $("log").offsetTop - 40;
  curve();
  $("play").disabled = now === last;
  if (write && location.protocol !== "about:") history.replaceState(null, "", `#move=${now}`);
}

function shape(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Lines over the game, one for each player, in a picture of 300 by 90; what is not known is passed over. */
function plot(picture, values, most) {
  const x = (place) => 300 * place / Math.max(1, last);
  const lines = replay.names.map((name, seat) => shape("polyline", {
    points: values.map((all, place) => (all?.[seat] == null ? "" : `${x(place)},${86 - 82 * all[seat] / most}`)).join(" "),
    fill: "none", stroke: COLOURS[seat], "stroke-width": 2, "vector-effect": "non-scaling-stroke",
  }));
  const here = shape("line", { x1: x(now), x2: x(now), y1: 0, y2: 90, stroke: "#e6007e", "vector-effect": "non-scaling-stroke" });
  picture.replaceChildren(...lines, here);
}

function curve() {
  plot($("curve"), replay.scores, Math.max(1, ...replay.scores.flat()));
  $("curve-title").textContent = `Points: ${replay.scores[now].map((score, seat) => `${replay.names[seat]} ${score}`).join(", ")}`;
  if (!replay.judge) return;
  const chances = replay.judged.map((said) => said.chances);
  plot($("chance"), chances, 1);
  const parts = replay.names.map((name, seat) =>
    (chances[now]?.[seat] == null ? null : `${name} ${Math.round(100 * chances[now][seat])} %`)).filter(Boolean);
  $("chance-title").textContent = `${capital(replay.meaning)}, as ${replay.judge} sees it: ${parts.join(", ") || waiting()}`;
  $("verdict").textContent = verdict(now);
}

function waiting() {
  if (replay.trouble) return replay.trouble;
  return now < replay.judged.length ? "–" : `it has judged ${replay.judged.length} of ${last + 1} moments`;
}

function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

/** What a move lost, for those who may know what the player had in hand. */
function verdict(place) {
  const said = replay.judged?.[place - 1];
  if (said?.lost === undefined) return "";
  const viewer = $("viewer").value;
  if (viewer !== "all" && Number(viewer) !== replay.actors[place]) return said.kind ? capital(said.kind) : "";
  const lost = `${Math.round(100 * said.lost)} ± ${Math.round(100 * said.error)} %`;
  const better = named(said.better, replay.names);
  return said.kind ? `${capital(said.kind)}, it lost ${lost}. Better: ${better}.` : `As good within its error (${lost} lost): ${better}.`;
}

/** Marks what lost much in the log; each move has one line of its own. */
function markMoves() {
  replay.judged?.forEach((said, place) => {
    if (said.kind) $("log").querySelector(`[data-number="${place + 1}"].move, [data-number="${place + 1}"].choice`)?.classList.add(said.kind);
  });
}

/** Asks for what has been said since, until all is said. */
async function listen() {
  while (replay.judged.length <= last && !replay.trouble) {
    await new Promise((done) => setTimeout(done, 700));
    try {
      const answer = await fetch(`${replay.served}/judged?since=${replay.judged.length}`);
      const body = await answer.json();
      replay.judged.push(...body.judged);
      replay.trouble = body.trouble;
    } catch {
      replay.trouble = "the server is gone";
    }
    markMoves();
    curve();
  }
}

async function playOn() {
  const viewer = $("viewer").value;
  const seat = viewer === "all" ? replay.actors[now + 1] : Number(viewer);
  const answer = await fetch(`${replay.served}/play`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ seat, moment: now }),
  });
  const body = await answer.json();
  if (answer.ok) location.assign(body.url); else $("status").textContent = body.error;
}

function run(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (now < last ? show(now + 1) : run(false)), Number($("speed").value)) : null;
  $("run").textContent = on ? "Pause" : "Play";
}

function tellAll() {
  tell($("log"), view().events, replay.names);
  markMoves();
}

$("title").textContent = replay.title;
$("slider").max = last;
$("viewer").replaceChildren(...["all", ...replay.names.keys()].map((viewer) =>
  new Option(viewer === "all" ? "everybody" : replay.names[viewer], viewer)));
$("slider").addEventListener("input", () => show(Number($("slider").value)));
$("back").addEventListener("click", () => show(now - 1));
$("on").addEventListener("click", () => show(now + 1));
$("run").addEventListener("click", () => run(timer === null));
$("speed").addEventListener("change", () => timer !== null && run(true));
$("viewer").addEventListener("change", () => { tellAll(); show(now); });
$("log").addEventListener("click", (event) => {
  const line = event.target.closest("[data-number]");
  if (line) show(Number(line.dataset.number));
});
$("play").addEventListener("click", playOn);
addEventListener("hashchange", () => show(fromAddress(), { write: false }));
addEventListener("keydown", (event) => {
  if (event.target.closest?.("input, select")) return;
  const places = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last, PageUp: now - 10, PageDown: now + 10 };
  if (event.key in places) { show(places[event.key]); event.preventDefault(); }
  else if (event.key === " " && !event.target.closest?.("button")) { run(timer === null); event.preventDefault(); }
});
$("play").hidden = !replay.served;
$("judgement").hidden = !replay.judge;
tellAll();
if (replay.judge && replay.served) listen();
show(fromAddress(), { write: false });
